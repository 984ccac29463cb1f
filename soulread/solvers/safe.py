"""epsilon-safe best response (McCracken and Bowling, AAAI Fall Symposium 2004).

Of all plans that lose at most epsilon more than an equilibrium against *any* opponent, it is the one that
wins most against the model. `soulread.respond.planner` finds it by linear programming:

    maximise  x . g(model)   subject to   worst case of x  >=  value of the game - epsilon

With epsilon = 0 that is an equilibrium, the best one against the model. With a large epsilon it is the plain
best response.
"""

from dataclasses import dataclass

from soulread.seqform.strategy import Plan


@dataclass(frozen=True, eq=False)
class SafeResponse:
    """A plan, what it wins against the model and what it may lose; chips per hand."""

    player: int
    plan: Plan  # [num_sequences]
    epsilon: float  # the risk allowed
    value: float  # against the model
    worst_case: float  # against an opponent who plays a best response
    game_value: float  # what an equilibrium wins in this player's seat

    @property
    def risk(self) -> float:
        """How much less than the game's value the plan wins in the worst case."""
        return self.game_value - self.worst_case
