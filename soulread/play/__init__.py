"""Agents, and tables for them to play at."""

from soulread.play.agent import Agent, Belief, Believer
from soulread.play.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random
from soulread.play.catalogue import AGENTS, known_agents, parse_agent, register
from soulread.play.entry import AgentEntry, AgentSpec
from soulread.play.live import LiveHand, play_hand
from soulread.play.match import Match, MatchResult, play_match, play_matches
from soulread.play.tabular import TabularAgent
from soulread.streams import MatchStreams, stream

__all__ = [
    "AGENTS",
    "Agent",
    "AgentEntry",
    "AgentSpec",
    "AlwaysCall",
    "AlwaysFold",
    "AlwaysRaise",
    "Belief",
    "Believer",
    "LiveHand",
    "Match",
    "MatchResult",
    "MatchStreams",
    "Probe",
    "Random",
    "TabularAgent",
    "known_agents",
    "parse_agent",
    "play_hand",
    "play_match",
    "play_matches",
    "register",
    "stream",
]
