"""tau2-bench: airline, retail and telecom, with a simulated user, an agent with tools, and databases."""

from astray.benchmarks.tau2.benchmark import Tau2, sample_id
from astray.benchmarks.tau2.conversation import converse
from astray.benchmarks.tau2.grading import reward
from astray.benchmarks.tau2.record import Conversation, conversation_in

__all__ = ["Conversation", "Tau2", "conversation_in", "converse", "reward", "sample_id"]
