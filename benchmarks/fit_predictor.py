"""Train the generic net that comes with soulread, on one month of people who play limit hold'em.

    python benchmarks/fit_predictor.py PATH [FILE]

PATH has the hands, such as h1-nobots.200003.tgz of the IRC poker database. FILE is
soulread/model/predict/generic-net.safetensors unless it is given. The file holds weights and no names.
"""

import sys
import time
from pathlib import Path

import numpy as np

from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import Hand
from soulread.model.predict import predictors
from soulread.model.predict.files import save_net
from soulread.model.predict.networks import chances_of, train_net
from soulread.model.predict.predictors import generic_inputs
from soulread.study.predict.scores import hands_in_time


def main() -> int:
    path = sys.argv[1]
    own = Path(predictors.__file__).parent / predictors.GENERIC_FILE
    file = Path(sys.argv[2]) if len(sys.argv) > 2 else own
    hands = hands_in_time(hand for hand in read_hands(path) if isinstance(hand, Hand))
    inputs, rows = generic_inputs(hands)
    start = time.process_time()
    net = train_net(inputs, rows.action)
    taken = chances_of(net.scores(inputs), rows.legal)[np.arange(len(rows)), rows.action]
    save_net(file, net, f"{len(rows):,} decisions of {len(hands):,} hands of {Path(path).name}")
    print(
        f"{file}: {len(rows):,} decisions, {time.process_time() - start:.1f} s of CPU, "
        f"log-loss in training {-np.log(taken).mean():.4f} nats"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
