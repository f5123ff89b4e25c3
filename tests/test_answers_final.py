"""Taking the final answer's text out of a reply, for the kinds that are no choice."""

from __future__ import annotations

import pytest

from astray.answers import read_answer
from astray.tables import Outcome

READ = [
    ("short", "Paris", "Paris"),
    ("short", "Paris.", "Paris"),
    ("short", "**Paris**", "Paris"),
    ("short", '"Paris"', "Paris"),
    ("short", "ANSWER: Paris", "Paris"),
    ("short", "**Answer:** Paris", "Paris"),
    ("short", "Rome was my first thought.\n\nANSWER: Paris\n", "Paris"),
    ("short", "Answer: Rome\nWait.\nAnswer: Paris", "Paris"),
    ("short", "The answer is Paris.", "Paris"),
    ("short", "The answer is St. Louis", "St. Louis"),
    ("short", "<answer>Paris</answer>", "Paris"),
    ("short", '{"answer": "Paris"}', "Paris"),
    ("short", '```json\n{"reasoning": "Rome", "answer": "Paris"}\n```', "Paris"),
    ("short", "<think>ANSWER: Rome</think>ANSWER: Paris", "Paris"),
    ("short", "Paris\n\nQuestion: And of Italy?\nAnswer: Rome", "Paris"),
    ("short", "U.S.", "U.S."),
    ("number", "#### 18", "18"),
    ("number", "9 * 2 = 18\n#### 18", "18"),
    ("number", "\\boxed{18}", "18"),
    ("number", "ANSWER: \\boxed{18}", "18"),
    ("number", "ANSWER: $18", "$18"),
    ("number", "She has 3 cats and 4 dogs, which makes 7.", "7"),
    ("number", "That is seven.", "That is seven"),
    ("number", "So the answer is:\n\\[\n\\boxed{565}\n\\]", "565"),
    ("number", "The answer is:\n\\[\n12 + 3 = 15\n\\]\nas 12 is even.", "12 + 3 = 15"),
    ("number", "The answer is:\n$$\n15\n$$", "15"),
    ("number", "Answer:\n\n15\n\nThat took 3 steps.", "15"),
    ("number", "Second answer:\n80 - 20 is the next to find.\nThus it is \\boxed{60}.", "60"),
    ("number", "The answer: \\boxed{12}\n\nCheck: \\boxed{13}?\nANSWER: 12", "12"),
    ("number", "We subtract:\n\\[ANSWER: 99\\]", "99"),
    ("number", "**Write the final answer:**\n   \\[\n   \\boxed{109}\n   \\]", "109"),
    ("math", "ANSWER: \\(x\\) or \\(y\\)", "\\(x\\) or \\(y\\)"),
    ("short", "Final answer:\n\n**Paris**", "Paris"),
    ("short", "The answer is:\n```\nParis\n```", "Paris"),
    ("math", "The answer is:\n\n\\[ x^2 \\]", "x^2"),
    ("boolean", "Yes, because it rains.", "Yes"),
    ("boolean", "ANSWER: no", "no"),
    ("boolean", '{"answer": false}', "false"),
    ("math", "\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
    ("math", "So $x = \\boxed{\\frac{1}{2}}$, as \\boxed{\\sqrt{2}}.", "\\sqrt{2}"),
    ("math", "ANSWER: $x^2$", "x^2"),
    ("math", "ANSWER: x²", "x²"),
    ("date", "ANSWER: 27 February 1617", "27 February 1617"),
    ("spans", "ANSWER: Smith, Jones", "Smith, Jones"),
    ("spans", '{"answer": ["Smith", "Jones"]}', "Smith; Jones"),
]

NOT_READ = [
    ("short", "", Outcome.EMPTY),
    ("short", "<think>Paris", Outcome.EMPTY),
    ("short", '{"reasoning": "It is Par', Outcome.EMPTY),
    ("short", "I don't know.", Outcome.ABSTAINED),
    ("short", "ANSWER: I don't know", Outcome.ABSTAINED),
    ("short", '{"answer": null}', Outcome.ABSTAINED),
    ("short", "The passage does not mention it.", Outcome.ABSTAINED),
    ("short", "I'm sorry, but I can't help with that.", Outcome.REFUSED),
    ("short", '{"answer": "I cannot assist with that"}', Outcome.REFUSED),
    ("short", "Well, " + "there are many things to be said about this one, " * 6, Outcome.UNPARSED),
    ("short", '{"answer": "Par', Outcome.UNPARSED),
    ("number", "There are many.", Outcome.UNPARSED),
    ("number", "I do not know how many.", Outcome.ABSTAINED),
    ("boolean", "Perhaps it does.", Outcome.UNPARSED),
    ("boolean", "There is no doubt about it.", Outcome.UNPARSED),
    ("boolean", "I don't know.", Outcome.ABSTAINED),
    ("boolean", "Yesterday.", Outcome.UNPARSED),
]


@pytest.mark.parametrize(("kind", "reply", "text"), READ, ids=repr)
def test_answer_is_read(kind: str, reply: str, text: str) -> None:
    reading = read_answer(reply, kind)
    assert (reading.label, reading.outcome) == (text, None)


@pytest.mark.parametrize(("kind", "reply", "outcome"), NOT_READ, ids=repr)
def test_no_answer_is_told_apart(kind: str, reply: str, outcome: Outcome) -> None:
    reading = read_answer(reply, kind)
    assert (reading.label, reading.outcome) == (None, outcome)


def test_span_points_into_the_reply_as_given() -> None:
    reply = "<think>Rome</think>\nANSWER:\u00a0**Paris**"
    span = read_answer(reply, "short").span
    assert span is not None
    assert "Paris" in reply[slice(*span)]
    assert "Rome" not in reply[slice(*span)]
