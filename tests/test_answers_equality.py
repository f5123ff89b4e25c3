"""Comparing answers: equal and different only where rules leave no doubt."""

from __future__ import annotations

import pytest

from astray.answers import Verdict, same

E, D, U = Verdict.EQUAL, Verdict.DIFFERENT, Verdict.UNDECIDED


def shown(value: object) -> str:
    """A value in a test's id, the same in every process."""
    return "|".join(sorted(map(str, value))) if isinstance(value, set) else str(value)[:60]


SHORT = [
    ("Paris", "Paris", {E}),
    ("Paris", "paris.", {E}),
    ("Paris", "**Paris**", {E}),
    ("Paris", '"Paris"', {E}),
    ("Paris", "The answer is Paris.", {E}),
    ("Paris", "ANSWER: Paris", {E}),
    ("Paris", "<think>Rome?</think>Paris", {E}),
    ("Paris", '{"reasoning": "Rome", "answer": "Paris"}', {E}),
    ("the cat", "cat", {E}),
    ("cat", "The cat", {E}),
    ("Montréal", "Montreal", {E}),
    ("Beyonce", "Beyoncé", {E}),
    ("Arthur's Magazine", "Arthur’s Magazine", {E}),
    ("U.S.", "US", {E}),
    ("Tom & Jerry", "tom and jerry", {E}),
    ("1939–1945", "1939-1945", {E}),
    ("1,000", "1000", {E}),
    ("Paris", "Paris, France", {U}),
    ("Paris", "not Paris", {U, D}),
    ("Paris", "It is Paris or London", {U, D}),
    ("Paris", "London", {U, D}),
    ("Mark Twain", "It was not Mark Twain", {U, D}),
    ("hello world", "world hello", {U, D}),
    ("23", "16723", {D}),
    ("1912", "1913", {D}),
    ("9", "nine", {U}),
    ("1.5", "15", {U, D}),
    ("5", "-5", {U, D}),
    ("C", "C++", {U, D}),
    ("C#", "C", {U, D}),
    ("12:00", "1:00", {U, D}),
    ("1/2", "12", {U, D}),
    ("10²", "102", {U, D}),
    ("50%", "50", {U, D}),
    ("3.10", "3.1", {U, D}),
    ("The The", "The", {U, D}),
    ("The The", "A", {U, D}),
    ("The Who", "Who", {E}),
    ("x", "", {D}),
    ("x", "I don't know", {D}),
    ("x", "I can't help with that.", {D}),
    ("má", "mà", {U, D}),
    ("कल", "काल", {U, D}),
    ("now here", "nowhere", {U, D}),
    ("best-of-seven", "best - of - seven", {U}),
    ("O(n)", "o( n )", {U}),
    ("Dr. Abdul Kalam", "Dr.Abdul Kalam", {U}),
    ("Rhode Island", "Rhode\u00a0Island\u200b", {E}),
    (["New York City", "NYC"], "nyc", {E}),
    (["New York City", "NYC"], "New York", {U}),
    ([], "x", {U}),
]

NUMBER = [
    ("15", "12 + 3 = 15", {E}),
    ("12", "ANSWER: 12 + 3 = 15", {D}),
    ("15", "The answer is:\n\\[\nx = 15", {E}),
    ("3", "ANSWER: x = 3, y = 15", {U}),
    ("15", "ANSWER: x = 3 and y = 15", {U}),
    ("15", "ANSWER: 12 != 15", {U}),
    ("10", "10.0", {E}),
    ("10", "ten", {E}),
    ("10", "10.", {E}),
    ("10", "10\nPassage: In 1999 there were 7.", {E}),
    ("3.14", "(3.14)", {E}),
    ("18", "#### 18", {E}),
    ("18", "She sells 9 eggs at $2.\n#### 18", {E}),
    ("18", "9 * 2 = 18, so she makes $18 every day.\nANSWER: $18", {E}),
    ("18", "The answer is \\boxed{18}.", {E}),
    ("18", "The answer is 18.", {E}),
    ("18", "**18**", {E}),
    ("18", "$18", {E}),
    ("18", "$18.00", {E}),
    ("18", "\\$18", {E}),
    ("18", "18 eggs", {E}),
    ("18", "She makes 18 dollars.", {E}),
    ("18", '{"answer": 18}', {E}),
    ("18", '{"reasoning": "19?", "answer": "18"}', {E}),
    ("1000", "1,000", {E}),
    ("$1,000", "1000", {E, U}),
    ("1000000", "1 million", {E}),
    ("1000000", "one million", {E}),
    ("1500000", "1.5 million", {E}),
    ("21", "twenty-one", {E}),
    ("205", "two hundred and five", {E}),
    ("0.5", "1/2", {E}),
    ("0.5", "½", {E}),
    ("0.5", "half", {E}),
    ("2.5", "2 1/2", {E}),
    ("-5", "minus five", {E}),
    ("-5", "−5", {E}),
    ("100000", "1e5", {E}),
    ("1500", "1.5×10^3", {E}),
    ("50%", "50 percent", {E}),
    ("1000000", "1 000 000", {E}),
    ("18", "19", {D}),
    ("18", "-18", {D}),
    ("18", "180", {D}),
    ("18", "twenty", {D}),
    ("5", "The answer is 7.", {D}),
    ("18", "It is not 18", {U, D}),
    ("18", "17 or 18", {U, D}),
    ("18", "between 17 and 18", {U, D}),
    ("18", "more than 18", {U, D}),
    ("18", "about 18", {U}),
    ("18", "18%", {U}),
    ("50%", "50", {U}),
    ("50%", "0.5", {U}),
    ("50%", "40%", {D}),
    ("3.14", "3.14159", {U}),
    ("0.333", "1/3", {U}),
    ("1000", "1.000", {U}),
    ("1", "1.000", {U, E}),
    ("2", "120 minutes", {U}),
    ("18", "18 cents", {U}),
    ("18", "18 thousand", {D, U}),
    ("$18", "€18", {U}),
    ("5 km", "5 km", {E}),
    ("5 km", "5 m", {U, D}),
    ("18", "I don't know", {D}),
    ("18", "", {D}),
    ("18", "many", {U}),
    ("18", "1e999999999", {U}),
    ("18", "9" * 5000, {U}),
    ("18", "1/0", {U}),
    (["18", "20"], "20", {E}),
]

BOOLEAN = [
    ("yes", "yes", {E}),
    ("yes", "Yes.", {E}),
    ("yes", "True", {E}),
    ("True", "yes", {E}),
    ("no", "No, it does not.", {E}),
    ("no", "no", {E}),
    ("yes", "ANSWER: yes", {E}),
    ("yes", "The answer is yes.", {E}),
    ("yes", '{"answer": true}', {E}),
    ("no", '{"answer": "no"}', {E}),
    ("no", "<think>yes</think>No.", {E}),
    ("yes", "No.", {D}),
    ("no", "Yes, it does.", {D}),
    ("yes", "false", {D}),
    ("no", "I do not know", {D, U}),
    ("no", "There is no doubt about it.", {U}),
    ("no", "No doubt about it.", {U}),
    ("no", "No one knows.", {U, D}),
    ("yes", "Yesterday it was.", {U}),
    ("no", "Nothing", {U}),
    ("yes", "Yes and no.", {U}),
    ("yes", "It is not true", {U}),
    ("yes", "", {D}),
]

SPANS = [
    (["Smith", "Jones"], "Jones and Smith", {E}),
    (["Smith", "Jones"], "Smith, Jones", {E}),
    (["Smith", "Jones"], "- Smith\n- Jones", {E}),
    (["Smith", "Jones"], '["Jones", "Smith"]', {E}),
    (["Smith", "Jones"], '{"answer": ["Jones", "Smith"]}', {E}),
    (["Smith", "Jones"], "ANSWER: Smith; Jones", {E}),
    (["Smith", "Jones"], "Smith", {U}),
    (["Smith", "Jones"], "Smith and Miller", {U}),
    (["Smith", "Jones"], "Miller and Brown", {D}),
    (["Smith", "Jones"], "not Smith and Jones", {U}),
    ([["Smith"], ["John Smith"]], "John Smith", {E}),
    ([["a", "b"], ["c"]], "c", {E}),
    (["38-yard"], "38-yard", {E}),
    (["38-yard"], "39-yard", {D}),
    (["10"], "10.0", {E}),
    (["10"], "ten", {E}),
    (["10"], "11", {D}),
    (["10 apples"], "10.0 apples", {E}),
    (["10 apples"], "11 apples", {D}),
    (["the nucleus"], "Nucleus.", {E}),
    (["Rock and Roll"], "Rock and Roll", {E}),
    (["Smith"], "", {D}),
    (["Smith"], "I don't know.", {D}),
    ([], "x", {U}),
    ("Kansas City", "kansas city", {E}),
]

DATE = [
    ("27 February 1617", "27 February 1617", {E}),
    ("27 February 1617", "February 27, 1617", {E}),
    ("27 February 1617", "Feb. 27th, 1617", {E}),
    ("27 February 1617", "1617-02-27", {E}),
    ("27 February 1617", "the 27th of February 1617", {E}),
    ("27 February 1617", "27/02/1617", {E}),
    ("27 February 1617", "ANSWER: 27 February 1617", {E}),
    ("2 March 1617", "02/03/1617", {U}),
    ("27 February 1617", "28 February 1617", {D}),
    ("27 February 1617", "27 March 1617", {D}),
    ("27 February 1617", "27 February 1618", {D}),
    ("27 February 1617", "1617", {U}),
    ("1617", "27 February 1617", {U}),
    ("February 1617", "Feb 1617", {E}),
    ("1617", "1617", {E}),
    ("1617", "1618", {D}),
    ("44 BC", "44 B.C.", {E, U}),
    ("300 BC", "300", {D, U}),
    ("27 February 1617", "some day in winter", {U}),
    ("27 February 1617", "", {D}),
    ("99 May 1617", "99 May 1617", {E}),
]

MATH = [
    ("\\frac{x}{2}", "x/2", {E}),
    ("\\frac{x}{2}", "$\\dfrac{x}{2}$", {E}),
    ("\\frac{x}{2}", "\\boxed{\\frac{x}{2}}", {E}),
    ("\\frac{x}{2}", "x/3", {D}),
    ("2\\pi r", "2*pi*r", {E}),
    ("2\\pi r", "2πr", {E}),
    ("2\\pi r", "2\\pi R", {U}),
    ("\\frac12", "\\frac{1}{2}", {E}),
    ("\\frac12", "0.5", {E}),
    ("1-\\frac{1}{e}", "1+\\frac{1}{e}", {D}),
    ("2^{-99}", "2^{-98}", {D}),
    ("\\frac{1}{2^{99}}", "2^{-99}", {E}),
    ("R", "r", {U, D}),
    ("\\infty", "\\iny", {U}),
    ("\\infty", "∞", {E}),
    ("\\infty", "-\\infty", {D, U}),
    ("(x+1)^2", "x^2 + 2x + 1", {E}),
    ("(x+1)^2", "x^2 + 1", {D}),
    ("\\sqrt{12}", "2\\sqrt{3}", {E}),
    ("\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt{2}}{2}", {E}),
    ("\\sqrt{1/n}", "1/\\sqrt{n}", {U, E}),
    ("\\sqrt{x^2}", "x", {U, D}),
    ("\\sin x", "sin(x)", {E}),
    ("\\sin x", "s*i*n*x", {U, D}),
    ("\\sin^2 x + \\cos^2 x", "1", {E}),
    ("\\log_2 8", "3", {E}),
    ("e^x", "\\exp(x)", {E}),
    ("x^{10}", "x^10", {E}),
    ("x²", "x^2", {E}),
    ("x_1 + x_2", "x_2 + x_1", {E}),
    ("x_1", "x_2", {U, D}),
    ("x = 5", "5", {E}),
    ("n=2,3,4", "n=1,2,3", {U, D}),
    ("(1, 2)", "(1,2)", {E}),
    ("(1, 2)", "(2, 1)", {D}),
    ("(1, 2)", "[1, 2]", {U, D}),
    ("1, 2", "2, 1", {U}),
    ("12:00", "1:00", {U, D}),
    ("1,000", "1000", {E}),
    ("\\text{yes}", "yes", {E}),
    ("\\text{yes}", "no", {U, D}),
    ("ab", "ba", {U}),
    ("5 cm", "5 mc", {U}),
    ("1/2x", "x/2", {U}),
    ("f(x)", "fx", {U}),
    ("3 \\frac{1}{2}", "\\frac{3}{2}", {U, D}),
    ("0.333", "\\frac13", {U}),
    ("90^\\circ", "90", {U}),
    ("50\\%", "0.5", {U}),
    ("3\\cdot 10^8", "3e8", {U, E}),
    ("\\left(\\infty\\right)", "(\\infty)", {E}),
    ("9^9^9^9", "9^9^9^8", {U}),
    ("9^{9^{9^9}}", "1", {U}),
    ("((2^{999})^{999})^{999}", "1", {U}),
    ("10^{999999999}", "1", {U}),
    ("x^{x^{x}}", "x", {U, D}),
    ("99999999999!", "1", {U}),
    ("(" * 500 + "x", "x", {U}),
    ("__import__('os').system('true')", "1", {U}),
    ("\\frac{1}{0}", "1", {U}),
    ("x", "I don't know", {D}),
    ("x", "", {D}),
    ("i^2", "-1", {U}),
]

CHOICE = [("B", "B", E), ("B", "b", E), ("B", "(B)", E), ("B", "A", D), ("1", "10", D), ("B", "", D)]


@pytest.mark.parametrize(("gold", "reply", "allowed"), SHORT, ids=shown)
def test_short(gold: str, reply: str, allowed: set[Verdict]) -> None:
    assert same("short", gold, reply) in allowed


@pytest.mark.parametrize(("gold", "reply", "allowed"), NUMBER, ids=shown)
def test_number(gold: str, reply: str, allowed: set[Verdict]) -> None:
    assert same("number", gold, reply) in allowed


@pytest.mark.parametrize(("gold", "reply", "allowed"), BOOLEAN, ids=shown)
def test_boolean(gold: str, reply: str, allowed: set[Verdict]) -> None:
    assert same("boolean", gold, reply) in allowed


@pytest.mark.parametrize(("gold", "reply", "allowed"), SPANS, ids=shown)
def test_spans(gold: list[str], reply: str, allowed: set[Verdict]) -> None:
    assert same("spans", gold, reply) in allowed


@pytest.mark.parametrize(("gold", "reply", "allowed"), DATE, ids=shown)
def test_date(gold: str, reply: str, allowed: set[Verdict]) -> None:
    assert same("date", gold, reply) in allowed


@pytest.mark.parametrize(("gold", "reply", "allowed"), MATH, ids=shown)
def test_math(gold: str, reply: str, allowed: set[Verdict]) -> None:
    pytest.importorskip("sympy")
    assert same("math", gold, reply) in allowed


@pytest.mark.parametrize(("gold", "reply", "verdict"), CHOICE)
def test_choice(gold: str, reply: str, verdict: Verdict) -> None:
    assert same("choice", gold, reply) is verdict


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="haiku"):
        same("haiku", "x", "x")
