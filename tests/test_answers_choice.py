"""Reading the label out of a reply: what models of all sizes say, and what must come of it."""

from __future__ import annotations

import pytest

from astray.answers import read_choice
from astray.tables import Outcome

AD = ("A", "B", "C", "D")
AJ = tuple("ABCDEFGHIJ")
NUMBERS = ("1", "2", "3", "4")
BOTH, ABSTAINED, REFUSED, UNPARSED, EMPTY = (
    Outcome.BOTH,
    Outcome.ABSTAINED,
    Outcome.REFUSED,
    Outcome.UNPARSED,
    Outcome.EMPTY,
)

FINAL_LINE = [
    ("ANSWER: B", "B"),
    ("answer: b", "B"),
    ("Answer: a", "A"),
    ("Answer:B", "B"),
    ("Answer : B", "B"),
    ("Answer - B", "B"),
    ("Answer -> B", "B"),
    ("Answer = B", "B"),
    ("ANSWER: [B]", "B"),
    ("ANSWER: <B>", "B"),
    ("ANSWER: `B`", "B"),
    ('ANSWER: "B"', "B"),
    ("ANSWER: 'B'", "B"),
    ("ANSWER: __B__", "B"),
    ("ANSWER: $$B$$", "B"),
    ("ANSWER: \\(B\\)", "B"),
    ("ANSWER: $\\boxed{B}$", "B"),
    ("ANSWER: $\\boxed{\\text{B}}$", "B"),
    ("ANSWER: \\textbf{(B)}", "B"),
    ("ANSWER: \\mathrm{B}", "B"),
    ("ANSWER: {B}", "B"),
    ("ANSWER: B.", "B"),
    ("ANSWER: A,", "A"),
    ("ANSWER: B)", "B"),
    ("ANSWER: B \n", "B"),
    ("ANSWER: B - because of friction", "B"),
    ("ANSWER: B, because A is wrong", "B"),
    ("ANSWER: A, I think", "A"),
    ("ANSWER: A trailing reason", "A"),
    ("ANSWER: Option B", "B"),
    ("ANSWER: option (b)", "B"),
    ("**ANSWER:** B", "B"),
    ("**ANSWER: B**", "B"),
    ("**Answer**: **B**", "B"),
    ("### ANSWER: B", "B"),
    ("### Answer\n\nB", "B"),
    ("**Final Answer**\n\n**B**", "B"),
    ("Final Answer: B", "B"),
    ("The final answer is: B", "B"),
    ("Final answer (letter only): B", "B"),
    ("Answer is: B", "B"),
    ("My answer: B", "B"),
    ("Choice: B", "B"),
    ("Answer:\nB", "B"),
    ("Answer:\n\n**B**", "B"),
    ("A is tempting, and so is C.\n\nANSWER: B", "B"),
    ("Let me compare A, B, C and D.\nANSWER: D", "D"),
    ("ANSWER: A\n\nWait, I made a mistake.\n\nANSWER: B", "B"),
    ("Réponse : B", "B"),
    ("Respuesta: C", "C"),
    ("Antwort: C", "C"),
    ("Jawaban: B", "B"),
    ("Ответ: B", "B"),
    ("答案：B", "B"),
    ("答案是B。", "B"),
    ("正确答案为 C", "C"),
    ("答え：D", "D"),
    ("정답: B", "B"),
    ("<answer>B</answer>", "B"),
    ("<answer>\n(B)\n</answer>", "B"),
    ("The result is \\boxed{B}", "B"),
    ("So we get \\boxed{\\text{(C)}}.", "C"),
    ("\\boxed{B. 4 metres}", "B"),
    ("**Answer: D**\n\nThe energy is \\boxed{E = mc^2}.", "D"),
    ("Suggested answer: C\nMy answer: B", "B"),
    ("You wrote: your answer: C. I disagree.\nANSWER: B", "B"),
]

STATEMENTS = [
    ("The answer is B.", "B"),
    ("The correct answer is (B).", "B"),
    ("The correct answer is **B**.", "B"),
    ("The answer is option B.", "B"),
    ("the answer is b", "B"),
    ("The answer would be B", "B"),
    ("The best answer here is therefore B.", "B"),
    ("I believe the answer is B.", "B"),
    ("The answer is B: mitochondria make energy.", "B"),
    ("The most appropriate choice, given the passage, is C.", "C"),
    ("The answer is not A but B.", "B"),
    ("The answer isn't A; it is B.", "B"),
    ("The answer is A. No, wait. It's B.", "B"),
    ("The answer is A. Actually, on reflection, C is correct.", "C"),
    ("I would pick B — a safe choice.", "B"),
    ("I'd go with C.", "C"),
    ("I'll go with (D) here.", "D"),
    ("I choose B because it is heavier.", "B"),
    ("i choose b", "B"),
    ("My guess is B.", "B"),
    ("I'm not sure, but I'd guess B.", "B"),
    ("I don't know for certain; probably C.", "C"),
    ("Therefore, B.", "B"),
    ("Hence (C).", "C"),
    ("So it must be D.", "D"),
    ("B is correct.", "B"),
    ("B is the correct answer.", "B"),
    ("Option B is the best choice because it fits.", "B"),
    ("Option B (mitosis) is correct.", "B"),
    ("B, not C, is correct.", "B"),
    ("Option B best describes the process.", "B"),
    ("C makes the most sense.", "C"),
    ("A is wrong, C is wrong, D is wrong, and B is right.", "B"),
    ("Both A and C are wrong, so the answer is B.", "B"),
    ("The answer is B, C and D are wrong.", "B"),
    ("The evidence supports B.", "B"),
    ("While A is plausible, the answer is B.", "B"),
    ("Some might say the answer is A, but the answer is B.", "B"),
    ("If the sun were cold, the answer would be A. It is not, so the answer is B.", "B"),
    ("I don't think the answer is A. The answer is B.", "B"),
    ("The answer is B. I don't think the answer is A.", "B"),
    ("The answer is B. You said the answer is C, and I see why.", "B"),
    ("I considered A and D.\n\nThe correct choice is C\n\nA is only right in a vacuum.", "C"),
    ("There is no doubt that the answer is B.", "B"),
    ("La respuesta correcta es B.", "B"),
    ("Die richtige Antwort ist C.", "C"),
    ("La bonne réponse est D.", "D"),
    ("我选择B。", "B"),
    ("I can't help thinking of A, but the answer is B.", "B"),
]

BARE = [
    ("B", "B"),
    ("b", "B"),
    ("a", "A"),
    ("(b)", "B"),
    ("**B**", "B"),
    ("B.", "B"),
    ("b)", "B"),
    ("[B]", "B"),
    ("Option B", "B"),
    ("option b", "B"),
    ("B) mitochondria", "B"),
    ("B: mitochondria", "B"),
    ("B. The mitochondria make energy, A does not.", "B"),
    ("(B) mitochondria", "B"),
    ("**B** because it is heavier", "B"),
    ("B because it is heavier", "B"),
    ("B\n\nThe other options are wrong.", "B"),
    ("B. mitosis\n\nExplanation:\nA. is wrong.\nC. is wrong.", "B"),
    ("We compare the options at length.\n\nB", "B"),
    ("We compare the options at length.\n\n**(B)**", "B"),
    ("Hmm, hard to say. Definitely C!", "C"),
    ("B\n\nQuestion: What is the capital of France?\nAnswer: C", "B"),
]

NOTHING = [
    ("", EMPTY),
    (" \n\t ", EMPTY),
    ("\u200b\u200e\ufeff", EMPTY),
    ("<think>The answer is A.</think>", EMPTY),
    ("<think>The answer is A, or maybe", EMPTY),
    ("<thinking>ANSWER: B", EMPTY),
    ("The answer is A.</think>", EMPTY),
    ('{"reasoning": "The answer is B beca', EMPTY),
    ('{"reasoning": "The answer is B because it is."}', UNPARSED),
    ("I can't help with that.", REFUSED),
    ("I'm sorry, but I can't assist with that request.", REFUSED),
    ("I cannot answer this question as it violates my guidelines.", REFUSED),
    ("I must decline.", REFUSED),
    ("I won't participate in this.", REFUSED),
    ("As an AI language model, I am unable to provide that.", REFUSED),
    ("I don't know.", ABSTAINED),
    ("I do not know the answer to this question.", ABSTAINED),
    ("I am not sure.", ABSTAINED),
    ("It cannot be determined from the information given.", ABSTAINED),
    ("There is not enough information to answer.", ABSTAINED),
    ("I can't determine whether the answer is A or B.", ABSTAINED),
    ("I don't know if the answer is A.", ABSTAINED),
    ("Unknown", ABSTAINED),
    ("ANSWER: I don't know", ABSTAINED),
    ('{"answer": "I don\'t know"}', ABSTAINED),
    ('{"answer": null}', ABSTAINED),
    ('{"answer": "I cannot help with that."}', REFUSED),
    ("ANSWER: A and C", BOTH),
    ("ANSWER: A, B, and C", BOTH),
    ("ANSWER: A or B", BOTH),
    ("ANSWER: A/B", BOTH),
    ("ANSWER: (A) and (C)", BOTH),
    ("ANSWER: **A** and **C**", BOTH),
    ("ANSWER: AC", BOTH),
    ("A and C", BOTH),
    ("A, C", BOTH),
    ("A\nC", BOTH),
    ("The answer is either A or C.", BOTH),
    ("The answer is both A and C.", BOTH),
    ("Both A and C are correct.", BOTH),
    ("The answer is B. C is also correct.", BOTH),
    ("There are two correct answers here.", BOTH),
    ("The question is ambiguous.", BOTH),
    ('{"answer": ["A", "C"]}', BOTH),
    ('{"answer": "A or C"}', BOTH),
    ("ANSWER: E", UNPARSED),
    ("ANSWER: Photosynthesis", UNPARSED),
    ("Answer: A\nOn reflection, answer: X", UNPARSED),
    ('{"answer": "E"}', UNPARSED),
    ("A car moves faster than a bicycle.", UNPARSED),
    ("The answer is A car.", UNPARSED),
    ("The answer is a car.", UNPARSED),
    ("Answer: A plant cell", UNPARSED),
    ("The answer is a 50 mL beaker.", UNPARSED),
    ("ANSWER: A <think>x</think> more of it</think> Hmm.", UNPARSED),
    ("I think so.", UNPARSED),
    ("I see your point about C.", UNPARSED),
    ("A. heat\nB. light\nC. sound\nD. mass", UNPARSED),
    ("You said the answer is C.", UNPARSED),
    ("The judge claims that the answer is C.", UNPARSED),
    ("Option A is wrong.", UNPARSED),
    ("It is not B.", UNPARSED),
    ("Vitamin C prevents scurvy.", UNPARSED),
    ("Vitamin C", UNPARSED),
    ("Hepatitis B", UNPARSED),
    ("The temperature is 20 °C", UNPARSED),
    ("He got an A+ in class", UNPARSED),
    ("A's and B's of chemistry", UNPARSED),
    ("ANSWER: $LETTER", UNPARSED),
    ("!!!", UNPARSED),
]

UNICODE = [
    ("ANSWER: Ｂ", "B"),
    ("ＡＮＳＷＥＲ：Ｂ", "B"),
    ("ANSWER:\u00a0B", "B"),
    ("ANSWER:\u200bB\u200b", "B"),
    ("\u200fANSWER: B\u200e", "B"),
    ("ANSWER: 𝐁", "B"),
    ("ANSWER: Ⓑ", "B"),
    ("ANSWER: 🅱️", "B"),
    ("ANSWER: “B”", "B"),
    ("ANSWER: «B»", "B"),
    ("ANSWER: 【B】", "B"),
    ("ANSWER: В", "B"),  # Cyrillic, in a text that is otherwise Latin
    ("Ответ: А", "A"),  # the first letter in both alphabets
    ("Απάντηση: Β", "B"),
    ("The answer is\r\nB\r\n", "B"),
]


@pytest.mark.parametrize(("reply", "label"), FINAL_LINE + STATEMENTS + BARE + UNICODE, ids=repr)
def test_label_is_read(reply: str, label: str) -> None:
    reading = read_choice(reply, AD)
    assert (reading.label, reading.outcome) == (label, None)


@pytest.mark.parametrize(("reply", "outcome"), NOTHING, ids=repr)
def test_no_answer_is_told_apart(reply: str, outcome: Outcome) -> None:
    reading = read_choice(reply, AD)
    assert (reading.label, reading.outcome) == (None, outcome)


@pytest.mark.parametrize("reply", ["Ответ: В", "В начале было слово."], ids=repr)
def test_letter_of_another_alphabet_is_not_taken_for_its_lookalike(reply: str) -> None:
    assert read_choice(reply, AD).label is None


STRUCTURED = [
    ('{"answer": "B"}', "B"),
    ('{"answer": "b"}', "B"),
    ('{"answer": "(B)"}', "B"),
    ('{"answer": "B. mitosis"}', "B"),
    ('{"answer": "Option B"}', "B"),
    ('{"answer": "The answer is B"}', "B"),
    ('{"Answer": "B"}', "B"),
    ('{"final_answer": "B"}', "B"),
    ("{'answer': 'B'}", "B"),
    ("{answer: B}", "B"),
    ('{"answer": "B",}', "B"),
    ('{"reasoning": "A {seems} right", "answer": "B"}', "B"),
    ('{"reasoning": "He said \\"A\\", then \\"C\\".", "answer": "B"}', "B"),
    ('{"reasoning": "He said "A" is it", "answer": "B"}', "B"),
    ('{"reasoning": "line\nANSWER: A\n", "answer": "B"}', "B"),
    ('{"answer": "B", "reasoning": "A is the answer"}', "B"),
    ('{"answer": "\\\\boxed{B}"}', "B"),
    ('{"answer": "\\boxed{B}"}', "B"),
    ('{"result": {"answer": "B"}}', "B"),
    ('{"answer": ["B"]}', "B"),
    ('```json\n{"answer": "B"}\n```', "B"),
    ('```\n{"answer": "B"}\n```\nHope this helps. A was close.', "B"),
    ('Here is my reply:\n{"answer": "B"}', "B"),
    ('{"answer": "A"}\nWait, I was wrong.\n{"answer": "B"}', "B"),
    ('{"reasoning": "A at first", "answer": "B', "B"),
    ('```json\n{"reasoning": "A at first",\n "answer": "B"', "B"),
    ('<think>{"answer": "A"}</think>{"answer": "B"}', "B"),
]


@pytest.mark.parametrize(("reply", "label"), STRUCTURED, ids=repr)
def test_structured_reply(reply: str, label: str) -> None:
    reading = read_choice(reply, AD)
    assert (reading.label, reading.strategy) == (label, "structured")


def test_cut_off_value_that_may_be_another_label_is_not_read() -> None:
    labels = ("1", "2", "10")
    assert read_choice('{"answer": "1', labels).outcome is UNPARSED
    assert read_choice('{"answer": "2', labels).label == "2"
    assert read_choice('{"answer": "1"}', labels).label == "1"


LABELS = [
    ("ANSWER: 3", NUMBERS, "3"),
    ("3", NUMBERS, "3"),
    ("3.", NUMBERS, "3"),
    ("(3)", NUMBERS, "3"),
    ("3) 12 metres", NUMBERS, "3"),
    ("The answer is 3.", NUMBERS, "3"),
    ("The answer is 3.5", NUMBERS, None),
    ("ANSWER: -3", NUMBERS, None),
    ("ANSWER: 30", NUMBERS, None),
    ("ANSWER: 7", NUMBERS, None),
    ("There are 2 cars and 3 buses.", NUMBERS, None),
    ("ANSWER: ３", NUMBERS, "3"),
    ("ANSWER: 3️⃣", NUMBERS, "3"),
    ('{"answer": 3}', NUMBERS, "3"),
    ("ANSWER: 10", ("1", "2", "10"), "10"),
    ("The answer is C because I computed the ratio.", AJ, "C"),
    ("C because I computed it.", AJ, "C"),
    ("I think the answer is J.", AJ, "J"),
    ("I", AJ, "I"),
    ("i", AJ, "I"),
    ("ANSWER: I", AJ, "I"),
    ("The answer is I.", AJ, "I"),
    ("Answer: I am not sure about it", AJ, None),
    ("I'm sure it is a hard one.", AJ, None),
    ("I. heat", AJ, "I"),
    ("ANSWER: E", ("A", "B", "C", "D", "E"), "E"),
    ("Answer: C", ("A", "B", "C"), "C"),
    ("Answer: D", ("A", "B", "C"), None),
    ("ANSWER: (A)", ("(A)", "(B)"), "(A)"),
    ("ANSWER: A", ("(A)", "(B)"), "(A)"),
    ("The answer is B", ("a", "b", "c"), "b"),
    ("ANSWER: a", ("a", "b", "A"), "a"),
    ("ANSWER: A", ("a", "b", "A"), "A"),
    ("Answer: yes", ("yes", "no"), "yes"),
    ("Yes.", ("yes", "no"), "yes"),
    ("I do not know", ("yes", "no"), None),
    ("ANSWER: C++", ("C", "C++"), "C++"),
    ("ANSWER: x", (), None),
    ("ANSWER: ", ("", " "), None),
]


@pytest.mark.parametrize(("reply", "labels", "label"), LABELS, ids=repr)
def test_the_items_own_labels_only(reply: str, labels: tuple[str, ...], label: str | None) -> None:
    assert read_choice(reply, labels).label == label


CELL = ("the nucleus", "the mitochondria", "a ribosome", "Both A and B")
TEXTS = [
    ("The mitochondria", CELL, "B"),
    ("mitochondria", CELL, None),
    ("ANSWER: the mitochondria", CELL, "B"),
    ("ANSWER: a ribosome", CELL, "C"),
    ("The answer is a ribosome.", CELL, "C"),
    ("ANSWER: Both A and B", CELL, "D"),
    ("Both A and B", CELL, "D"),
    ("B. the mitochondria", CELL, "B"),
    ("Energy is made in the mitochondria of a cell.", CELL, "B"),
    ("It is not the mitochondria.", CELL, None),
    ("It may be the nucleus, or the mitochondria.", CELL, None),
    ('{"answer": "a ribosome"}', CELL, "C"),
    ("dark red", ("red", "dark red"), "B"),
    ("15 m", ("5 m", "15 m"), "B"),
    ("3", ("3", "4"), "A"),
    ("bank", ("bank", "shop", "bank"), "A"),
    ("RR", ("rr", "Rr", "RR"), "C"),
    ("ANSWER: B", ("B", "A"), "B"),
    ("library", ("Library.", "museum"), "A"),
    ("All of the above", ("heat", "light", "All of the above"), "C"),
    ("I don't know", ("I don't know", "yes"), "A"),
]


@pytest.mark.parametrize(("reply", "choices", "label"), TEXTS, ids=repr)
def test_text_of_a_choice(reply: str, choices: tuple[str, ...], label: str | None) -> None:
    assert read_choice(reply, AD[: len(choices)], choices=choices).label == label


STRATEGIES = [
    ('{"answer": "B"}', "structured"),
    ("<answer>B</answer>", "tagged"),
    ("\\boxed{B}", "bare_label"),
    ("We find \\boxed{B}", "boxed"),
    ("ANSWER: B", "final_line"),
    ("The answer is B", "statement"),
    ("B", "bare_label"),
    ("the second", "choice_text"),
    ("It could be B.", "hedged"),
    ("I don't know", "abstention"),
    ("I can't help with that.", "refusal"),
]


@pytest.mark.parametrize(("reply", "strategy"), STRATEGIES, ids=repr)
def test_strategy_is_named(reply: str, strategy: str) -> None:
    assert read_choice(reply, AD, choices=("one", "the second", "three", "four")).strategy == strategy


SPANS = [
    ("ANSWER: B", "B"),
    ("  \n ANSWER: **B**", "B"),
    ("<think>A</think>\nANSWER: Ｂ", "Ｂ"),
    ("\u200b\u200bThe answer is\u00a0B.", "B"),
    ('{"reasoning": "A", "answer": "B"}', "B"),
    ("𝐁 is right. The answer is B", "B"),
]


@pytest.mark.parametrize(("reply", "found"), SPANS, ids=repr)
def test_span_points_into_the_reply_as_given(reply: str, found: str) -> None:
    span = read_choice(reply, AD).span
    assert span is not None
    assert reply[slice(*span)] == found


@pytest.mark.parametrize(
    "reply",
    [
        "<think>The answer is A.</think>ANSWER: D",
        "<thinking>ANSWER: A</thinking>\nD",
        "ANSWER: A</think>ANSWER: D",
        "<think>a <think> inside</think>ANSWER: D",
        "<think>one</think>ANSWER: D<think>ANSWER: A</think>",
        "ANSWER: D\n<think>ANSWER: A",
        "<THINK>ANSWER: A</THINK>ANSWER: D",
        "[THINK]ANSWER: A[/THINK]ANSWER: D",
        "◁think▷ANSWER: A◁/think▷ANSWER: D",
        "<|channel|>analysis<|message|>ANSWER: A<|end|><|start|>assistant<|channel|>final<|message|>ANSWER: D",
        "<reasoning>ANSWER: A</reasoning>\n<answer>D</answer>",
    ],
    ids=repr,
)
def test_reasoning_is_never_read(reply: str) -> None:
    assert read_choice(reply, AD).label == "D"
