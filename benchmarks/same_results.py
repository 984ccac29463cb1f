"""Checksums of results, to see that a change of the code changes none of them.

    python benchmarks/same_results.py --write FILE [--only PREFIX ...]
    python benchmarks/same_results.py --against FILE [--only PREFIX ...]

``--write`` computes results and writes their SHA-256 checksums by name as JSON; names that FILE has already
are kept, so a run that was broken off goes on. ``--against`` computes them anew, prints the names that differ
and ends with exit code 1 if there are any. ``--only match/leduc`` takes the names that begin so. ``--list``
prints the names. ``--data DIR`` is a folder with real hands; without it the checks of real hands are left
out. ``--cache DIR`` takes tables and equilibria that an earlier run built. Results of experiments in it are
deleted first, so two runs at the same time need two caches. ``--keep DIR`` writes what the checksums were
made of, for a look at a difference.

Results are reached through the command line. The tables below hold every command line by a name of its own:
if an option is renamed, change its line and keep the name. What must be imported is looked up in `DOORS`.

A checksum is one of exact text and bytes: numbers are not rounded. Times, versions and paths are left out.
Every process has one thread. Numbers are those of one machine; another may round otherwise.
"""

import argparse
import hashlib
import importlib
import json
import os
import pkgutil
import re
import runpy
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

DOORS = {  # a function, and the modules it may be found in
    "facts_of": ("soulread.hands.facts",),
    "hand_from_json": ("soulread.hands.hand", "soulread.hands"),
    "duel": ("soulread",),
}
TASKS = "experiments"  # folder of the cache with the results of tasks
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
TIMES = {  # entries that are left out
    *("seconds", "cpu_seconds", "hands_per_second", "written"),
    *("times", "clock", "by_clock", "stand_ins"),
}
VERSIONS = {"soulread", "version"}  # and these
CARDS = "2-2-2-2:quick"  # the card abstraction of matches of limit hold'em

# Matches ------------------------------------------------------------------------------------------

SMALL = {  # agents of small games, by a name for each
    **{name: name for name in ("random", "always-fold", "always-call", "always-raise", "probe")},
    "equilibrium": "equilibrium",
    "equilibrium-lp": "equilibrium:method=lp:1",
    "unfinished": "unfinished",
    "unfinished-cfr+": "unfinished:iterations=3,method=cfr+",
    "best-response": "best-response:always-raise",
    "best-response-equilibrium": "best-response:equilibrium",
    "soul": "soul:k=5",
    "soul-gifts": "soul:T=10,k=5,risk=50,gifts=1",
    "portfolio": "portfolio",
    "portfolio-own": "portfolio:risk=50,explore=0.5,hidden=own",
    "dbbr-pool": "dbbr:T=5,k=3,pool=1",
    "dbbr-shown": "dbbr:T=5,k=3,shown=5",
    "dbbr-safety": "dbbr:T=5,k=5,safety=0.5",
    "dbbr-l1": "dbbr:T=5,k=5,method=l1,range=model,threshold=0.1",
    "dbbr-l2-window": "dbbr:T=5,k=5,method=l2,window=20,expected=joint",
    "dbbr-decay": "dbbr:T=5,k=5,decay=0.95,iterations=5",
    "dbbr-tilts": "dbbr:T=5,k=5,model=tilts",
    "dbbr-habits": "dbbr:T=5,k=10,model=habits",
    "dbbr-contexts": "dbbr:T=5,k=10,model=contexts",
    "dbbr-average": "dbbr:T=5,k=10,model=average",
    "dbr": "dbr:T=5,k=5",
    "dbr-frequency": "dbr:T=5,k=5,model=frequency",
    "dbr-explicit": "dbr:T=5,k=5,model=explicit:particles=8",
    "dbr-step": "dbr:T=5,k=20,confidence=10-step,pmax=0.7",
    "rwywe": "rwywe",
    "rwywe-tilts": "rwywe:model=tilts",
    "befewp": "befewp:every=3",
    "beffe": "beffe:hands=20",
    "best-equilibrium": "best-equilibrium",
    "rwyw": "rwyw",
    "explicit": "explicit",
    "explicit-thompson": "explicit:act=thompson",
    "implicit-mean": "implicit:portfolio=equilibrium+always-call+always-raise,act=mean",
    "implicit-exp4": "implicit:portfolio=equilibrium+always-call,act=exp4",
    "bootstrap": "bootstrap:portfolio=equilibrium+random",
    "subpolicy": "subpolicy:portfolio=equilibrium+random,parts=discovered",
    "subbootstrap": "subbootstrap:portfolio=equilibrium+random,act=map",
    "learner": "learner:particles=20,base=lp/lp:1-2",
    "learner-change": "learner:particles=20,base=lp,change=0.02",
    "td-cfr": "td-cfr",
    "vexbot": "vexbot",
    "vexbot-miximix": "vexbot:search=miximix,decay=0.9,default=uniform",
    "vexbot-generic": "vexbot:default=generic",
    "vexbot-deviation": "vexbot:model=deviation,k=5",
    **{name: name for name in ("orange", "orange-pot", "loose", "tight", "passive", "aggressive")},
    "loose-half": "loose:0.5",
    "aggressive-half": "aggressive:0.5",
    "skew": "skew:loose=0.3,hands=weak",
    "rule": "rule:number=7",
    "rule-tight": "rule:number=7,tight=0.2,bluff=0",
    "person": "person:number=3",
    "switching-every": "switching:every=3|equilibrium|always-raise",
    "switching-rate": "switching:rate=0.3|equilibrium|always-raise",
    "drifting": "drifting:over=5|equilibrium|always-call",
    "deceiver": "deceiver:hands=5,trust=1|always-call",
    "deceiver-strike": "deceiver:hands=5|equilibrium|always-raise",
    "file": "file:{GAME.strategy}",
}
LIMIT = {  # agents of heads-up limit hold'em
    **{name: name for name in ("random", "always-fold", "always-call", "always-raise", "probe")},
    "equilibrium": f"equilibrium:{CARDS}",
    "unfinished": f"unfinished:{CARDS},iterations=3",
    "best-response": f"best-response:{CARDS}:always-raise",
    "file": "file:{limit.strategy}",
    "soul": f"soul:{CARDS},T=10,k=10",
    "portfolio": f"portfolio:{CARDS}",
    "real-river": f"real-river:{CARDS}",
    "dbbr": f"dbbr:{CARDS},T=10,k=10",
    "dbbr-pool": f"dbbr:{CARDS},T=10,k=10,pool=1,method=l1",
    "dbbr-shown": f"dbbr:{CARDS},T=10,k=10,shown=5",
    "dbbr-contexts": f"dbbr:{CARDS},T=10,k=20,model=contexts",
    "dbbr-habits": f"dbbr:{CARDS},T=10,k=20,model=habits",
    "dbr": f"dbr:{CARDS},T=10,k=20",
    "dbr-frequency": f"dbr:{CARDS},T=10,k=20,model=frequency,iterations=8",
    "td-cfr": f"td-cfr:{CARDS}",
    "vexbot": "vexbot",
    "vexbot-cards": f"vexbot:{CARDS},default=equilibrium",
    "vexbot-miximix": "vexbot:search=miximix,default=uniform",
    "vexbot-generic": "vexbot:default=generic",
    "orange": f"orange:{CARDS}",
    "orange-pot": f"orange-pot:{CARDS}",
    **{name: f"{name}:{CARDS}" for name in ("loose", "tight", "passive", "aggressive")},
    "skew": f"skew:{CARDS}:loose=0.3,hands=weak",
    "loki-gom": "loki:model=gom,use=none",
    "loki-tight-passive": "loki:style=tight-passive",
    "loki-simulation": "loki:use=S,playouts=100,model=old",
    "loki-net": "loki:predict=net",
    "poki": "poki:playouts=100",
    "poki-net": "poki:predict=net,playouts=60",
    "rule": "rule:number=7",
    "rule-tight": "rule:number=7,tight=0.2,bluff=0",
    "plain": "plain",
    "plain-tight": "plain:style=tight",
    "person": "person:number=3",
    "switching": f"switching:every=3|equilibrium:{CARDS}|always-raise",
    "drifting": f"drifting:over=5|equilibrium:{CARDS}|always-call",
    "deceiver": f"deceiver:{CARDS}:hands=5|loose:{CARDS}",
}
RING = {  # agents of limit hold'em with three and more seats
    **{name: name for name in ("random", "always-fold", "always-call", "always-raise", "probe")},
    "loki": "loki",
    "loki-gom": "loki:model=gom,use=none",
    "loki-simulation": "loki:use=S,playouts=60,model=old",
    "loki-competing": "loki:predict=competing",
    "poki": "poki:playouts=60",
    "poki-net": "poki:predict=net,playouts=40",
    "plain": "plain",
    "plain-loose-passive": "plain:style=loose-passive",
}
NOLIMIT = {  # agents of no-limit hold'em
    **{name: name for name in ("random", "always-fold", "always-call", "always-raise", "probe")},
    "ponsen": "ponsen:playouts=100",
    "ponsen-tree": "ponsen:playouts=60,sizes=0.5/1,learner=tree,style=tight",
    "plain": "plain",
    "plain-tight": "plain:style=tight",
    "plain-loose-passive": "plain:style=loose-passive",
}
SOME = ("equilibrium", "best-response", "soul", "dbbr-pool", "dbr", "rwywe", "learner", "vexbot", "rule")
THREE = "nolimit:players=3,stacks=200/150/37,blinds=1/2,ante=1"
TABLES: tuple[tuple[str, str, Mapping[str, str], tuple[str, ...], int], ...] = (
    # name of the game here, the game, its agents, who else sits there, hands of each of two matches
    ("kuhn", "kuhn", SMALL, ("random",), 60),
    ("leduc", "leduc", SMALL, ("loose",), 40),
    ("leduc-iso", "leduc:iso", {name: SMALL[name] for name in SOME}, ("random",), 30),
    ("limit", "limit", LIMIT, ("plain:style=loose",), 40),
    ("ring", "ring-limit:4", RING, ("plain", "plain:style=tight", "random"), 12),
    ("nolimit", "nolimit", NOLIMIT, ("plain",), 20),
    ("nolimit-three", THREE, NOLIMIT, ("plain", "random"), 12),
)

# Files that other command lines need; {name} is the path of a file, which is made first --------------

SIX = ("plain", "plain:style=tight", "plain:style=loose", "plain:style=loose-passive", "random", "plain")
DEEP = "nolimit:players=6,stacks=200,blinds=1/2"
STYLES = ("tight", "loose", "tight-passive", "loose-passive")
ITERATIONS = "--iterations"
FILES: dict[str, tuple[str, ...]] = {
    "kuhn.strategy": ("solve", "kuhn", ITERATIONS, "200", "-o", "{kuhn.strategy}"),
    "leduc.strategy": ("solve", "leduc", ITERATIONS, "100", "-o", "{leduc.strategy}"),
    "leduc:iso.strategy": ("solve", "leduc:iso", ITERATIONS, "100", "-o", "{leduc:iso.strategy}"),
    "lp.strategy": ("solve", "leduc:iso", "--method", "lp", "-o", "{lp.strategy}"),
    "sampled.strategy": (
        *("solve", "leduc", "--method", "external", ITERATIONS, "500", "--seed", "3"),
        *("-o", "{sampled.strategy}"),
    ),
    "limit.strategy": ("solve", f"limit:{CARDS}", ITERATIONS, "30", "-o", "{limit.strategy}"),
    "cfr+.strategy": (
        *("solve", f"limit:{CARDS}", "--method", "cfr+", ITERATIONS, "10", "-o", "{cfr+.strategy}"),
    ),
    "response.strategy": (
        *("curve", "leduc", "--data", "{leduc.log}", "--player", "loose", "--trust", "0.9"),
        *("-o", "{response.strategy}"),
    ),
    "checkpoint": ("solve", "leduc", ITERATIONS, "20", "--checkpoint", "{checkpoint}"),
    "river.spot": (
        *("spot", "Td9d6hQc2s", "--oop", "99,AKs,JTs", "--ip", "KK,QJs,87s", "--pot", "20", "--stack", "30"),
        *(ITERATIONS, "50", "-o", "{river.spot}"),
    ),
    "turn.spot": (
        *("spot", "Td9d6hQc", "--oop", "99,AKs,JTs,66", "--ip", "KK,QJs,87s,A2s+", "--pot", "20"),
        *("--stack", "60", "--bets", "60%,a", ITERATIONS, "20", "-o", "{turn.spot}"),
    ),
    "kuhn.log": ("duel", "kuhn", "loose", "random", "--hands", "300", "-o", "{kuhn.log}"),
    "leduc.log": ("duel", "leduc", "loose", "random", "--hands", "300", "-o", "{leduc.log}"),
    "limit.log": ("duel", "limit", "plain", "rule:number=7", "--hands", "200", "-o", "{limit.log}"),
    "ring.log": ("duel", "ring-limit:6", *SIX, "--hands", "200", "-o", "{ring.log}"),
    "nolimit.log": ("duel", DEEP, *SIX, "--hands", "600", "-o", "{nolimit.log}"),
    **{
        f"{style}.log": (
            *("duel", DEEP, *[f"plain:style={style}"] * 6, "--hands", "120", "-o", f"{{{style}.log}}"),
        )
        for style in STYLES
    },
    "pool.db": (*("import", *(f"{{{style}.log}}" for style in STYLES), "--game", DEEP, "--db", "{pool.db}"),),
    "kuhn.db": ("import", "{kuhn.log}", "--game", "kuhn", "--db", "{kuhn.db}"),
    "leduc.db": ("import", "{leduc.log}", "--game", "leduc", "--db", "{leduc.db}"),
    "limit.db": ("import", "{limit.log}", "--game", "limit", "--db", "{limit.db}"),
    "ring.db": ("import", "{ring.log}", "--game", "ring-limit:6", "--db", "{ring.db}"),
    "nolimit.db": ("import", "{nolimit.log}", "--game", DEEP, "--db", "{nolimit.db}"),
    "predictor": ("predict", "--db", "{ring.db}", "--player", "random", "-o", "{predictor}"),
    "profile.html": (
        *("profile", "random", "--db", "{nolimit.db}", "--regulars", "50", "--output", "{profile.html}"),
    ),
    "pool.html": ("pool", "--db", "{pool.db}", "--regulars", "50", "--output", "{pool.html}"),
    "boards.csv": (
        *("boards", "3", "--oop", "99,AKs", "--ip", "KK,QJs", "--pot", "20", "--stack", "20"),
        *(ITERATIONS, "10", "-o", "{boards.csv}"),
    ),
}
STRATEGIES = [name for name in FILES if name.endswith((".strategy", ".spot", "checkpoint", "predictor"))]
PAGES = ("profile.html", "pool.html", "boards.csv")
STORES = ("kuhn", "leduc", "limit", "ring", "nolimit", "pool")
FORMATS = ("phhs", "txt", "log", "jsonl")
UNWRITABLE = {  # stores whose hands a format cannot hold: not hold'em, or without stacks
    *(("kuhn", "phhs"), ("leduc", "phhs")),
    *(("kuhn", "txt"), ("leduc", "txt"), ("limit", "txt"), ("ring", "txt")),
}
GAMES = {
    "kuhn": "kuhn",
    "leduc": "leduc",
    "limit": "limit",
    "ring": "ring-limit:6",
    "nolimit": DEEP,
    "pool": DEEP,
}
REAL = {  # folders and files of --data, and further words of the import
    "pluribus": ("phh_pluribus_wsop.tar.xz",),
    "heads-up": ("nlhe_hu_ftp1000_28players.phhs.xz",),
    "ps600": ("nlhe_ps600_20players.phhs.xz",),
    "rooms": ("room_texts.tar.xz",),
    "rooms-2": ("room_texts_2.tar.xz",),
    "acpc": ("acpc_logs.tar.xz", "--game", "leduc"),
    "irc": ("irc_limit",),
}

# Commands whose output is compared: with --json, and as text ------------------------------------------

RIVER = (
    *("Td9d6hQc2s", "--oop", "99,AKs,JTs,77", "--ip", "KK,QJs,87s,A9s"),
    *("--pot", "20", "--stack", "60", "--gap", "2%"),
)
COMMANDS: dict[str, tuple[str, ...]] = {
    "agents": ("agents",),
    "agents dbbr": ("agents", "dbbr"),
    "agents of a ring": ("agents", "--game", "ring-limit:6"),
    "models": ("models",),
    "models deviation": ("models", "deviation"),
    "curve known": ("curve", "kuhn", "--opponent", "always-raise", "--trust", "0,0.5,1"),
    "curve rnr": ("curve", "leduc", "--opponent", "loose", "--trust", "0.5,0.9"),
    "curve dbr": (
        *("curve", "leduc", "--opponent", "loose", "--method", "dbr", "--hands", "500"),
        *("--trust", "0.5,0.9"),
    ),
    "curve mix": (
        *("curve", "kuhn", "--opponent", "random", "--method", "mix", "--hands", "500"),
        *("--against", "self", "--trust", "0.5,1"),
    ),
    "curve log": ("curve", "leduc", "--data", "{leduc.log}", "--player", "loose", "--trust", "0,0.5,1"),
    "curve shown": (
        *("curve", "leduc", "--db", "{leduc.db}", "--player", "loose", "--method", "dbr"),
        *("--shown-only", "--trust", "0.5"),
    ),
    "curve limit": ("curve", f"limit:{CARDS}", "--opponent", f"orange:{CARDS}", "--trust", "0.9"),
    "duel": ("duel", "leduc", "random", "probe", "--hands", "20", "--matches", "12", "--seed", "3"),
    "duel duplicate": ("duel", "limit", "always-fold", "always-raise", "--hands", "50", "--duplicate"),
    "duel aivat": (
        *("duel", "leduc", "dbbr:T=20,k=20", "loose", "--hands", "200", "--duplicate"),
        *("--aivat", "--explain"),
    ),
    "duel aivat limit": (
        *("duel", "limit", f"equilibrium:{CARDS}", f"loose:{CARDS}", "--hands", "50", "--aivat"),
    ),
    "duel explain": ("duel", "leduc", "soul:k=20", "loose", "--hands", "100", "--explain"),
    "duel explain models": (
        *("duel", "leduc", "learner:particles=20", "dbr:T=20,k=20", "--hands", "60", "--explain"),
    ),
    "duel decided": (
        *("duel", "kuhn", "equilibrium", "always-fold", "--hands", "50", "--matches", "20"),
        "--until-decided",
    ),
    "equity": ("equity", "AhAd", "KsKc", "--board", "2h7d9s"),
    "equity range": ("equity", "77+", "A2s+, KTs+", "--board", "3h4cJh"),
    "equity preflop": ("equity", "AA"),
    "equity samples": ("equity", "AKs", "random", "--samples", "20000", "--seed", "5"),
    "exploitability": ("exploitability", "{leduc.strategy}"),
    "exploitability limit": ("exploitability", "{limit.strategy}"),
    "hands": ("hands", "--db", "{nolimit.db}", "--limit", "5"),
    "hands query": ("hands", "showdown", "pot>=20", "--db", "{nolimit.db}", "--player", "random"),
    "hands of leduc": ("hands", "--db", "{leduc.db}", "--limit", "5"),
    "import known": ("import", "{leduc.log}", "--game", "leduc", "--db", "{leduc.db}"),
    "incomes": ("incomes", "--players", "4", "--deals", "20000"),
    "incomes iterated": ("incomes", "--players", "6", "--deals", "20000", "--iterated"),
    "lbr kuhn": ("lbr", "kuhn", "loose:0.5", "--deals", "30"),
    "lbr leduc": ("lbr", "leduc", "loose", "--deals", "100"),
    "lbr limit": ("lbr", "limit", f"equilibrium:{CARDS}", "--deals", "10", "--runouts", "20"),
    "lbr limit flop": (
        *("lbr", "limit", f"loose:{CARDS}", "--deals", "10", "--runouts", "20", "--first-round", "1"),
    ),
    "leaks leduc": ("leaks", "leduc", "loose", "--hands", "1000"),
    "leaks kuhn": ("leaks", "kuhn", "always-raise", "--hands", "500"),
    "leaks log": ("leaks", "leduc", "--data", "{leduc.log}", "--player", "loose"),
    "leaks store": ("leaks", "leduc", "--db", "{leduc.db}", "--player", "random", "--top", "30"),
    "leaks limit": ("leaks", "limit", "always-call", "--abstraction", CARDS, "--hands", "300"),
    "players": ("players", "--db", "{nolimit.db}"),
    "pool": ("pool", "--db", "{pool.db}", "--regulars", "50"),
    "profile": ("profile", "random", "--db", "{nolimit.db}", "--regulars", "50"),
    "profile plain": ("profile", "plain", "--db", "{nolimit.db}", "--regulars", "50"),
    "profile tight": ("profile", "plain:style=tight", "--db", "{pool.db}", "--regulars", "50"),
    "profile limit": ("profile", "plain", "--db", "{limit.db}", "--regulars", "50", "--abstraction", CARDS),
    **{
        f"predict {learner}": (*("predict", "--db", "{ring.db}", "--player", "random", "--learner", learner),)
        for learner in ("old", "enhanced", "net", "boosting", "competing")
    },
    "predict data": ("predict", "--data", "{ring.jsonl}", "--player", "plain", "--learner", "old"),
    "range": ("range", "AKs, 77+, T9s-54s, AhKh:0.25"),
    **{
        f"read {model}": ("read", "--db", "{ring.db}", "--hand", "#150", "--model", model)
        for model in ("gom", "som")
    },
    **{
        f"read {model}": ("read", "--db", "{nolimit.db}", "--hand", "#150", "--model", model)
        for model in ("completed", "relational")
    },
    "read at": ("read", "{ring.jsonl}", "--hand", "#20", "--decision", "3"),
    "replay": ("replay", "leduc", "JhQsKh", "crc/cc"),
    "replay nolimit": ("replay", "nolimit:stacks=1000,blinds=50/100", "AhAdKhKd", "r300"),
    "replay store": ("replay", "--db", "{nolimit.db}", "--hand", "#12"),
    "replay ring": ("replay", "--db", "{ring.db}", "--hand", "#12"),
    "reproduce list": ("reproduce", "--list"),
    **{
        f"solve {method}": ("solve", "leduc", "--method", method, ITERATIONS, "30", "--seed", "4")
        for method in ("dcfr", "dcfr:1.5,-0.5,2", "cfr+", "pcfr+", "lcfr", "cfr", "external", "outcome")
    },
    "solve lp": ("solve", "leduc:iso", "--method", "lp"),
    "solve kuhn": ("solve", "kuhn"),
    "solve limit": ("solve", f"limit:{CARDS}", ITERATIONS, "20"),
    "solve openspiel": ("solve", "openspiel:kuhn_poker", ITERATIONS, "20"),
    "spot": ("spot", *RIVER),
    "spot at": ("spot", *RIVER, "--at", "check"),
    "spot size": ("spot", *RIVER, "--size"),
    "spot lock": ("lock", *RIVER, "bet60: fold 90%"),
    "spot trust": ("lock", *RIVER, "bet60: fold 90%", "--trust", "0.5", "--trust-kind", "p"),
    "spot risk": ("lock", *RIVER, "bet60: fold 90%", "--risk", "1", "--hands-by", "l1"),
    "spot turn": (
        *("spot", "Td9d6hQc", "--oop", "66+", "--ip", "random", "--pot", "200", "--stack", "900"),
        *("--bets", "60%,e,a", ITERATIONS, "10", "--at", "check bet60%"),
    ),
    "spot flop size": (
        *("spot", "Td9d6h", "--oop", "66+", "--ip", "22+,A2s+", "--pot", "200", "--stack", "900", "--size"),
    ),
    "spot open": ("spot", "{river.spot}", "--at", "check"),
    "spot boards": (
        *("boards", "3", "--oop", "99,AKs", "--ip", "KK,QJs", "--pot", "20", "--stack", "20"),
        *(ITERATIONS, "10"),
    ),
    "stats": ("stats", "--db", "{nolimit.db}"),
    **{
        f"stats {by}": ("stats", "plain", "--db", "{nolimit.db}", "--by", by, "--against", "pool")
        for by in ("position", "players", "stack", "month")
    },
    "stats ring": ("stats", "random", "--db", "{ring.db}"),
    "strength": ("strength", "AdQc", "--board", "3h4cJh", "--opponents", "3"),
    "strength range": ("strength", "AdQc", "--board", "3h4cJh9s", "--range", "77+,A2s+"),
    "strength ahead": ("strength", "8h7h", "--board", "3h4cJh", "--lookahead", "1"),
    "zoo": ("zoo",),
    "zoo leduc": ("zoo", "leduc", "--family", "deceivers"),
    "zoo limit": ("zoo", "limit", "--role", "judging"),
    "zoo meet kuhn": (
        "zoo",
        "kuhn",
        "--family",
        "changing",
        "--meet",
        "--hands",
        "20",
        "--seed",
        "4",
        "--aivat",
    ),
    "zoo meet leduc": ("zoo", "leduc", "--family", "changing", "--meet", "--hands", "20"),
}
TIMED = ("curve", "spot lock", "spot trust", "spot risk")  # their tables have a column of seconds
REAL_COMMANDS: dict[str, tuple[str, ...]] = {  # of the hands of --data; with --json only
    "import pluribus": ("import", "DATA/phh_pluribus_wsop.tar.xz", "--db", "again-pluribus.db"),
    "import rooms": ("import", "DATA/room_texts.tar.xz", "--db", "again-rooms.db"),
    "import rooms-2": ("import", "DATA/room_texts_2.tar.xz", "--db", "again-rooms-2.db"),
    "stats ps600": ("stats", "--db", "{ps600.db}"),
    "pool ps600": ("pool", "--db", "{ps600.db}"),
    "stats heads-up": ("stats", "--db", "{heads-up.db}", "--min-hands", "500"),
    "pool heads-up": ("pool", "--db", "{heads-up.db}"),
    "read ps600": ("read", "--db", "{ps600.db}", "--hand", "#5000", "--model", "relational"),
    "read irc": ("read", "--db", "{irc.db}", "--hand", "#5000", "--model", "som"),
    "replay rooms": ("replay", "--db", "{rooms.db}", "--hand", "#40"),
}
TEXT_ONLY: dict[str, tuple[str, ...]] = {
    "agents markdown": ("agents", "--markdown"),
    "abstraction build": ("abstraction", "build", CARDS.removesuffix(":quick"), "--quick"),
}

# Experiments ----------------------------------------------------------------------------------------

EXPERIMENTS: dict[str, tuple[str, ...]] = {
    "hand-strength": ("hand-strength", "--quick"),
    "leduc-bases": ("leduc-bases", "--quick"),
    "leduc-exploiters": ("leduc-exploiters", "--quick"),
    "spot-locks": ("spot-locks", "--quick"),
    "ponsen-matches": ("ponsen-matches", "--quick"),
    "loki-ranges": ("loki-ranges", "--quick"),
    "loki-ranges-people": ("loki-ranges", "--quick", "--data", "DATA/irc_limit"),
    "action-prediction": ("action-prediction", "--quick", "--data", "DATA/irc_limit"),
    "relational-ranges": (*("relational-ranges", "--quick", "--data", "DATA/nlhe_ps600_20players.phhs.xz"),),
    "profile-leaks": ("profile-leaks", "--quick"),
    "zoo-kuhn": ("zoo", "--quick", "--game", "kuhn", "--matches", "2", "--hands", "20"),
    "zoo-leduc": ("zoo", "--quick", "--game", "leduc", "--matches", "2", "--hands", "10"),
    "loki-triples": ("loki-triples", "--quick", "--matches", "2", "--hands", "2"),
    "dbbr-safety": ("dbbr-safety", "--quick", "--matches", "2", "--hands", "30"),
    "dbbr-table": ("dbbr-table", "--quick", "--matches", "2", "--hands", "30"),
    "dbbr-winrate": ("dbbr-winrate", "--quick", "--matches", "2", "--hands", "30"),
    "dbbr-ablation": ("dbbr-ablation", "--quick", "--matches", "2", "--hands", "30"),
    "dbbr-settings": ("dbbr-settings", "--quick", "--matches", "2", "--hands", "30"),
    "loki-modelling": ("loki-modelling", "--quick", "--matches", "2", "--hands", "2"),
    "rnr-limits": ("rnr-limits", "--quick", "--matches", "1", "--hands", "1000"),
    "dbr-curves": ("dbr-curves", "--quick", "--matches", "1", "--hands", "1000"),
    "bayes-relational": (
        *("bayes-relational", "--quick", "--hands", "3000"),
        *("--data", "DATA/nlhe_ps600_20players.phhs.xz"),
    ),
    "vexbot": ("vexbot", "--quick", "--matches", "1", "--hands", "6"),
    "table": ("table", "--quick", "--matches", "1", "--hands", "10"),
    "zoo-limit": ("zoo", "--quick", "--game", "limit", "--matches", "1", "--hands", "10"),
}


# How a result becomes a checksum --------------------------------------------------------------------


def checksum(data: str | bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def without_times(value: Any) -> Any:
    """JSON without the entries named in `TIMES` and `VERSIONS`."""
    if isinstance(value, dict):
        return {key: without_times(entry) for key, entry in value.items() if key not in TIMES | VERSIONS}
    return [without_times(entry) for entry in value] if isinstance(value, list) else value


def tensors(path: Path) -> bytes:
    """A safetensors file: its arrays as they lie there, and its texts, without times and seal.

    The texts are sorted, because the library writes them in an order that differs from run to run.
    """
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    texts = header.pop("__metadata__")
    kept = {key: text for key, text in sorted(texts.items()) if key not in {*TIMES, "version", "seal"}}
    if "history" in kept:  # of a checkpoint: iteration, gap and seconds
        kept["history"] = [row[:2] for row in json.loads(kept["history"])]
    arrays = bytearray(data[8 + length :])
    for name in TIMES & header.keys():
        begin, end = header[name]["data_offsets"]
        arrays[begin:end] = bytes(end - begin)
    return json.dumps([kept, header]).encode() + bytes(arrays)


def database(path: Path) -> str:
    """All tables of a store, row by row as they lie there."""
    lines = []
    with sqlite3.connect(path) as opened:
        listed = opened.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
        for name, sql in listed:
            lines.append(f"{name} {sql}")
            if sql is not None and sql.startswith("CREATE TABLE"):
                rows = opened.execute(f"SELECT * FROM {name} ORDER BY rowid")
                lines.extend(
                    repr([entry.hex() if isinstance(entry, bytes) else entry for entry in row])
                    for row in rows
                )
    return "\n".join(lines)


def found(name: str) -> Any:
    """A function of soulread, wherever `DOORS` finds it."""
    for module in DOORS[name]:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"{name} is in none of {', '.join(DOORS[name])}; add its module to DOORS")


def print_facts(path: Path) -> None:
    """Print checksums of every column of the facts of the hands in a file of JSON lines."""
    read, facts_of = found("hand_from_json"), found("facts_of")
    with path.open(encoding="utf-8") as file:
        while part := list(islice(file, 10_000)):
            rows = facts_of([read(line) for line in part])
            for title, table in (("seats", rows.seats), ("decisions", rows.decisions)):
                for column in table.dtype.names:
                    values = table[column]
                    print(title, column, values.dtype.str, checksum(values.tobytes()))


# How results are computed ---------------------------------------------------------------------------


class Failed(Exception):
    """A command ended with an error."""


Apart = Callable[[Callable[[], object], str], str]  # a function and a cache; what the function prints
CACHE = "cache"  # in the folder


def command(words: Sequence[str]) -> None:
    """``python -m soulread`` with these words."""
    sys.argv = ["soulread", *words]
    runpy.run_module("soulread", run_name="__main__", alter_sys=True)


def print_profits(game: str, agents: Sequence[str], hands: int, matches: int, seed: int) -> None:
    """Print what each agent won in each hand of matches."""
    result = found("duel")(game, *agents, hands=hands, matches=matches, seed=seed)
    print(json.dumps(result.profits.tolist()))


@dataclass
class Bench:
    """Runs command lines of soulread. ``apart`` runs a function in ``folder`` and returns what it prints.

    Files of the folder and the cache in it have names without a path: so no result, and no key of a task, has
    the path of a run in it.
    """

    folder: Path
    apart: Apart
    data: Path | None = None  # real hands
    _made: set[str] = field(default_factory=set)

    def path(self, name: str) -> Path:
        """The path of a file of `FILES`, or of an export such as leduc.jsonl, which is made if need be."""
        path = self.folder / name
        if name not in self._made:
            self._made.add(name)
            self.call(self._making(name))
        return path

    def _making(self, name: str) -> Sequence[str]:
        """The command that makes a file."""
        if name in FILES:
            return FILES[name]
        stem, _, ending = name.rpartition(".")
        if ending == "db" and stem in REAL:
            assert self.data is not None
            first, *rest = REAL[stem]
            return ("import", str(self.data / first), *rest, "--db", f"{{{name}}}")
        if ending == "db":  # the store of an export: leduc.log.db
            game = ("--game", GAMES[stem.split(".")[0]]) if stem.endswith("log") else ()
            return ("import", f"{{exported-{stem}}}", *game, "--db", f"{{{name}}}")
        stem = stem.removeprefix("exported-")
        return ("hands", "--db", f"{{{stem}.db}}", "-o", f"{{{name}}}")

    def call(self, words: Sequence[str]) -> str:
        """What a command prints; files in {braces} are made before."""
        words = [re.sub(r"\{(.+?)\}", lambda match: self.path(match[1]).name, word) for word in words]
        words = [re.sub(r"^DATA/", f"{self.data}/", word) for word in words]
        text = self.apart(partial(command, words), CACHE)
        return text if self.data is None else text.replace(str(self.data), "DATA")

    def json(self, words: Sequence[str]) -> str:
        """The JSON that a command prints, without times and with its keys in order."""
        found = without_times(json.loads(self.call([*words, "--json"])))
        return json.dumps(found, indent=1, sort_keys=True)

    def text(self, words: Sequence[str]) -> str:
        """The text that a command prints, without times."""
        return re.sub(
            r"\d[\d,.]* (s|ms|min|seconds?|minutes?|hands/s|iterations/s)\b", "TIME", self.call(words)
        )

    def match(self, name: str) -> dict[str, str | bytes]:
        """Two matches: every hand with its payoffs, and what is told of them."""
        _, table, label = name.split("/")[:3]
        game, agents, others, hands = next(row[1:] for row in TABLES if row[0] == table)
        agent = agents[label].replace("GAME", game)
        words = ("duel", game, agent, *others, "--hands", str(hands), "--matches", "2", "--seed", "7")
        if "|" in agent:  # such a name cannot stand in a log
            told = self.json(words)
            played = self.apart(partial(print_profits, game, [agent, *others], hands, 2, 7), CACHE)
        else:
            told = self.json((*words, "-o", "match.log"))
            played = (self.folder / "match.log").read_text().partition("\n")[2]
        return {f"{name}/hands": played, f"{name}/json": told}

    def facts(self, name: str) -> str:
        """The facts of the hands in a file."""
        return self.apart(partial(print_facts, self.path(name)), CACHE)

    def experiment(self, name: str) -> dict[str, str | bytes]:
        """The report of an experiment, and the keys and results of its tasks."""
        tasks = self.folder / CACHE / TASKS
        shutil.rmtree(tasks, ignore_errors=True)
        report = self.json(("reproduce", *EXPERIMENTS[name]))
        files = sorted(tasks.glob("*.safetensors"))
        shown = {
            f"experiment/{name}": report,
            f"task/{name}/keys": "\n".join(file.name for file in files),
            f"task/{name}/results": "\n".join(f"{file.name} {checksum(tensors(file))}" for file in files),
        }
        shutil.rmtree(tasks, ignore_errors=True)
        return {**shown}

    def built(self) -> dict[str, str | bytes]:
        """A new cache after a match of an equilibrium: keys, tables of the abstraction, the strategy."""
        cache = self.folder / "new cache"
        words = ("duel", "limit", f"equilibrium:{CARDS}", "always-call", "--hands", "5")
        self.apart(partial(command, words), cache.name)
        arrays, strategies = sorted(cache.rglob("*.npy")), sorted(cache.rglob("*.strategy"))
        return {
            "cache/keys": "\n".join(str(file.relative_to(cache)) for file in (*arrays, *strategies)),
            "cache/tables": "\n".join(checksum(file.read_bytes()) for file in arrays),
            "cache/strategies": "\n".join(checksum(tensors(file)) for file in strategies),
        }


Results = Callable[[], Mapping[str, str | bytes]]


def checks(bench: Bench) -> Iterator[tuple[list[str], Results]]:
    """Names of results, and a function that computes all of them."""
    for table, _, agents, _, _ in TABLES:
        for label in agents:
            name = f"match/{table}/{label}"
            yield [f"{name}/hands", f"{name}/json"], partial(bench.match, name)
    yield ["cache/keys", "cache/tables", "cache/strategies"], bench.built
    for name, compute in _single(bench):
        yield [name], partial(_named, name, compute)
    for name, words in EXPERIMENTS.items():
        if bench.data is not None or not any("DATA" in word for word in words):
            names = [f"experiment/{name}", f"task/{name}/keys", f"task/{name}/results"]
            yield names, partial(bench.experiment, name)


def _named(name: str, compute: Callable[[], str | bytes]) -> dict[str, str | bytes]:
    return {name: compute()}


def _single(bench: Bench) -> Iterator[tuple[str, Callable[[], str | bytes]]]:
    """Results that come one by one."""

    def read(name: str, reader: Callable[[Path], str | bytes]) -> Callable[[], str | bytes]:
        return lambda: reader(bench.path(name))

    for name in STRATEGIES:
        yield f"strategy/{name}", read(name, tensors)
    for name in PAGES:
        yield f"page/{name}", read(name, Path.read_bytes)
    real = [name for name in REAL if bench.data is not None and (bench.data / REAL[name][0]).exists()]
    for store in (*STORES, *real):
        yield f"store/{store}", read(f"{store}.db", database)
        yield f"facts/{store}", partial(bench.facts, f"{store}.jsonl")
    for store in STORES:
        for ending in FORMATS:
            if (store, ending) not in UNWRITABLE:
                yield f"export/{store}.{ending}", read(f"exported-{store}.{ending}", Path.read_bytes)
                yield f"store/{store}.{ending}", read(f"{store}.{ending}.db", database)
    for name, words in COMMANDS.items():
        yield f"json/{name}", partial(bench.json, words)
        if not name.startswith(TIMED):
            yield f"text/{name}", partial(bench.text, words)
    if bench.data is not None:
        for name, words in REAL_COMMANDS.items():
            yield f"json/{name}", partial(bench.json, words)
    for name, words in TEXT_ONLY.items():
        yield f"text/{name}", partial(bench.text, words)


# The command line of this script --------------------------------------------------------------------


def forks(root: Path, folder: Path) -> Apart:
    """Runs functions in copies of this process, in which soulread is loaded but nothing of it has run.

    So a command does not spend seconds on imports, and finds nothing that another one left in the memory.
    """
    package = importlib.import_module("soulread")
    for module in pkgutil.walk_packages(package.__path__, "soulread."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # it needs a package that is not installed
                importlib.import_module(module.name)

    def apart(function: Callable[[], object], cache: str) -> str:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            code: object = 1
            try:
                os.chdir(folder)
                os.environ.update(PYTHONPATH=str(root), SOULREAD_CACHE=cache, COLUMNS="120")
                for number, name in ((0, os.devnull), (1, "stdout"), (2, "stderr")):
                    os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), number)
                function()
                code = 0
            except SystemExit as ended:
                code = ended.code or 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code if isinstance(code, int) else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            raise Failed(f"exit code {code}: {(folder / 'stderr').read_text().strip()[-600:]}")
        return (folder / "stdout").read_text()

    return apart


def main() -> int:
    """Compute, and write or compare."""
    parser = argparse.ArgumentParser(description="Checksums of results, to see whether any has changed.")
    parser.add_argument("--write", type=Path, metavar="FILE")
    parser.add_argument("--against", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="+", default=[""], metavar="PREFIX")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout whose soulread is run")
    parser.add_argument("--cache", type=Path, help="default: a new one for this run")
    parser.add_argument("--data", type=Path, help="folder with real hands")
    parser.add_argument("--keep", type=Path, help="write what the checksums were made of to this folder")
    parser.add_argument("--list", action="store_true", help="print the names and compute nothing")
    asked = parser.parse_args()
    if [asked.write is None, asked.against is None, not asked.list].count(False) != 1:
        parser.error("give one of --write, --against and --list")
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    root = asked.root.resolve()
    sys.path.insert(0, str(root))
    table: dict[str, str] = {}
    if asked.against is not None or (asked.write is not None and asked.write.exists()):
        table = json.loads((asked.against or asked.write).read_text())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "files"
        folder.mkdir()
        if asked.cache is not None:
            asked.cache.mkdir(parents=True, exist_ok=True)
            (folder / CACHE).symlink_to(asked.cache.resolve())
            shutil.rmtree(folder / CACHE / TASKS, ignore_errors=True)
        bench = Bench(folder, forks(root, folder), asked.data and asked.data.resolve())
        wrong, spent, count = 0, dict[str, float](), dict[str, int]()
        for names, compute in checks(bench):
            wanted = [name for name in names if name.startswith(tuple(asked.only))]
            if asked.write is not None:
                wanted = [name for name in wanted if name not in table]
            if not wanted or asked.list:
                print(*wanted, sep="\n", end="\n" if wanted else "")
                continue
            part, start = names[0].partition("/")[0], time.monotonic()
            try:
                results = compute()
            except (Failed, OSError, ValueError, KeyError, sqlite3.Error) as error:
                print(f"{wanted[0]}: FAILED: {error}", flush=True)
                wrong += 1
                continue
            seconds = time.monotonic() - start
            spent[part] = spent.get(part, 0) + seconds
            count[part] = count.get(part, 0) + len(wanted)
            print(f"{seconds:7.1f} s  {wanted[0]}", file=sys.stderr, flush=True)
            for name in wanted:
                made = checksum(results[name])
                if asked.keep is not None:
                    kept = asked.keep / name.replace(" ", "_")
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    data = results[name]
                    kept.write_bytes(data.encode() if isinstance(data, str) else data)
                if asked.write is not None:
                    table[name] = made
                elif made != table.get(name):
                    print(f"{name}: {'differs' if name in table else 'is not in the table'}", flush=True)
                    wrong += 1
            if asked.write is not None:
                asked.write.write_text(json.dumps(dict(sorted(table.items())), indent=0) + "\n")
        for part, seconds in spent.items():
            print(f"{part}: {count[part]} checks, {seconds:.0f} s")
        if asked.against is not None:
            print(f"{sum(count.values())} checks, {wrong} that differ or failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
