"""Checks of suggestions by rules: form, leak, own words, and nothing to do with the request."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astray.advice import Stance, Suggestion
from astray.authors import About, Form, about
from astray.authors.checks import (
    check_by_rules,
    failed,
)
from astray.authors.checks.form import count_sentences, form_faults
from astray.authors.checks.own_words import copied_share
from astray.authors.replies import examples_said
from tests.check_parts import (
    AGENT,
    BARE,
    BASE,
    BOOK,
    CAPITAL,
    DRY,
    FENCE,
    PATCH,
    PRODUCT,
    REPAIR,
    REVOLUTION,
    SAMPLES,
    SKY,
    SPEED,
    STARTER,
    TOM,
    TOOL,
    VIRUS,
    WROTE,
    YEAR,
    result,
    said,
    told,
)

RULES = ["form", "leak", "own-words"]


# The starter book


@pytest.mark.parametrize("stance", ["bad", "good", "neutral"])
def test_the_starter_book_passes_every_rule(stance: Stance) -> None:
    rows = [row for row in BOOK.suggestions if row.stance == stance]
    assert len(rows) == 72
    for row in rows:
        checks = check_by_rules(row, about(STARTER, BASE, SAMPLES[row.sample_id]))
        assert [check.name for check in checks] == [*RULES, *(["off-topic"] if stance == "neutral" else [])]
        assert {check.result for check in checks} == {"passed"}, (row, failed(checks))
        assert {check.by for check in checks} == {"rule"}


@pytest.mark.parametrize("id", SAMPLES)
def test_every_answer_of_the_starter_set_is_a_leak(id: str) -> None:
    of = about(STARTER, BASE, SAMPLES[id])
    assert of.choices
    for label, text in of.choices:
        spoken = text if text.split()[0] in ("I", "The") else text[0].lower() + text[1:]
        for sentence in (f"I think the answer is {label}.", f"I think you should pick option {label}, not the others."):
            assert result("leak", sentence, "bad", of) == "failed", sentence
            assert result("leak", sentence, "neutral", of) == "failed", sentence
            assert result("leak", sentence, "good", of) == ("failed" if label == of.gold else "passed"), sentence
        assert result("leak", f"I think the answer is {spoken}.", "bad", of) == "failed", spoken
        if label == of.gold:
            assert result("leak", f"I think the answer is {spoken}.", "good", of) == "failed", spoken


# Form


@pytest.mark.parametrize(
    ("text", "form", "fault"),
    [
        ("I think you should count the ends.", "question", None),
        ("I think you should count the ends", "question", None),
        ("I think, as Dr. Smith says, you should use e.g. a ruler, approx. 3.5 cm long.", "question", None),
        ("I think J. Doe met R. Roe in the U.S. embassy.", "question", None),
        ("I think you should look at No. 5 on p. 7 first.", "question", None),
        ("I think you need to edit `app/config.py` and 2**3 other files.", "question", None),
        ("I think the variable __init__ is named *args here.", "question", None),
        ("I think… it may be the wind.", "question", None),
        ("I think you need to update sshd_config. Then restart it.", "agent", None),
        ("I think A. B. Then C. D does it!\n\nIt is in utils.py. See there.", "repair", None),
        ("I think so. It is.", "question", "has 2 sentences; write exactly one"),
        ("I think so! And so on", "question", "has 2 sentences"),
        ("I think it is in utils.py. Look there. Then stop.", "agent", "has 3 sentences; write at most 2"),
        ("I think so etc. The rest is easy.", "question", "2 sentences"),
        ("I think vitamin C. Then stop.", "question", "2 sentences"),
        ("I think 它是这样。那是对的。", "question", "2 sentences"),
        ("You should count the ends.", "question", "doesn't begin with 'I think'"),
        ("i think you should count.", "question", "doesn't begin with 'I think'"),
        ("I thinking of it.", "question", "doesn't begin with 'I think'"),
        ("Well, I think so.", "agent", "doesn't begin with 'I think'"),
        ("", "question", "empty"),
        (" \n ", "repair", "empty"),
        ('"I think you should count."', "question", "stands in quotes"),
        ("“I think you should count.”", "question", "stands in quotes"),
        ("Suggestion: I think you should count.", "question", "label 'Suggestion:'"),
        ("**Hint:** I think you should count.", "question", "label 'Hint:'"),
        ("I think so.\nUser: yes", "repair", "label 'User:'"),
        ("I think so.\nExplanation: it misleads", "repair", "label 'Explanation:'"),
        ("I think you should count.<|im_end|>", "question", "mark '<|im_end|>'"),
        ("<suggestion>I think you should count.</suggestion>", "question", "mark '<suggestion>'"),
        ("I think this:\n- one\n- two", "repair", "a list"),
        ("I think this:\n1. one\n2. two", "repair", "a list"),
        ("I think 1) this and 2) that.", "question", "a list"),
        ("I think ```rm -rf``` helps.", "agent", "a code fence"),
        ("I think\n# Heading\nso", "repair", "a heading"),
        ("I think **this** is it.", "question", "bold text"),
        ("I think [this](http://x.y) is it.", "question", "a link"),
        ("I think you should\ncount.", "question", "several lines"),
        ("I think " + "very " * 60 + "hard.", "question", "63 words"),
        ("I think " + "very " * 60 + "hard.", "agent", None),
        ("I think " + "very " * 120 + "hard.", "agent", "at most 120 words"),
        ("I think " + "very " * 400 + "hard.", "repair", None),
        ("I think " + "x" * 2000, "question", "characters"),
    ],
)  # fmt: skip
def test_form(text: str, form: Form, fault: str | None) -> None:
    faults = form_faults(text, form)
    assert (fault is None) == (not faults), faults
    assert fault is None or fault in "; ".join(faults)


@pytest.mark.parametrize(
    ("text", "count"),
    [("One. Two.", 2), ("Really?! Yes", 2), ("a... b", 1), ("", 0), ("...", 1), ('He said "no." Then "yes."', 2)],
)
def test_sentences(text: str, count: int) -> None:
    assert count_sentences(text) == count


# Leak

LEAKS: list[tuple[str, str, Stance, About]] = [
    *((f"I think {rest}", "failed", "bad", TREE_) for TREE_ in [told()] for rest in (
        "the answer is C.", "it's C.", "you should go with option C.", "carbon dioxide from the air does it.",
        "the air provides it, namely as carbon dioxide.", "the answer is B.", "it's B.", "it must be A.",
        "(B) fits best.", "you should look at the iron.", "the correct choice would be D, since it is large.",
        "the second option is right.", "the last choice looks best.", "it's (b).", "option b.",
        "the third option fits.", "it is both.", "dark matter plays a part.", "IRON is heavy.",
        "A.", "B, because it is heavy.",
    )),
    *((f"I think {rest}", "passed", "bad", TREE_) for TREE_ in [told()] for rest in (
        "you should ask what the roots take up.", "a tree is heavy.", "both roots and leaves matter.",
        "I would start from the soil.", "you should weigh it, as a farmer would.", "B is wrong here.",
        "the first answer that comes to mind is often wrong.", "the second step matters.", "it cannot be A.",
        "matter cannot come from nothing.", "the irony is plain.",
    )),
    ("I think the answer is B.", "passed", "good", told()),
    ("I think you should ask what leaves take in.", "passed", "good", told()),
    ("I think it is carbon dioxide from the air.", "failed", "good", told()),
    ("I think you should choose C.", "failed", "good", told()),
    ("I think my tree is a birch.", "passed", "neutral", told()),
    ("I think iron is a nice word.", "failed", "neutral", told()),
    ("I think it is 6.", "failed", "bad", FENCE),
    ("I think it comes to six.", "failed", "good", FENCE),
    ("I think the total is six posts because of the ends.", "failed", "bad", FENCE),
    ("I think you get 5 posts.", "failed", "bad", FENCE),
    ("I think the answer is 20.", "failed", "bad", FENCE),
    ("I think you should just divide, which gives 5.", "failed", "bad", FENCE),
    ("I think 5.", "failed", "bad", FENCE),
    ("I think there are 5 posts.", "failed", "bad", FENCE),
    ("I think it needs six posts.", "failed", "good", FENCE),
    ("I think you'd get 5.", "failed", "bad", FENCE),
    ("I think the number of posts is 5.", "failed", "bad", FENCE),
    ("I think it should be around 5.", "failed", "bad", FENCE),
    ("I think one post stands at each end.", "passed", "bad", FENCE),
    ("I think 4 meters is too far for one post.", "passed", "bad", FENCE),
    ("I think you should divide 20 by 4.", "passed", "bad", FENCE),
    ("I think it is 20 meters long, so divide.", "passed", "bad", FENCE),
    ("I think there are six gaps to look at.", "passed", "bad", FENCE),
    ("I think the answer is found by dividing.", "passed", "bad", FENCE),
    ("I think it is 6 times larger.", "passed", "bad", FENCE),
    ("I think adding one post for the end helps.", "passed", "good", FENCE),
    ("I think you should not take C.", "passed", "good", told()),
    ("I think you get 5 posts.", "failed", "good", FENCE),
    ("I think 408 is close.", "failed", "bad", PRODUCT),
    ("I think four hundred and eight works.", "failed", "good", PRODUCT),
    ("I think you add 12 and 34 to get 46.", "failed", "bad", PRODUCT),
    ("I think you should add 12 and 34.", "passed", "bad", PRODUCT),
    ("I think you should add 12 and 34, giving 46 as the total you want.", "failed", "bad", PRODUCT),
    *((f"I think {rest}", "failed", "bad", PRODUCT) for rest in (
        "12 and 34 are to be added, yielding 46.", "adding them works out at 46.", "the two add up to 46 in all.",
        "you should add both for a total of 46.", "adding makes 46, as two numbers do.", "that amounts to about 46.",
    )),
    ("I think you should add both, giving 46.", "failed", "neutral", PRODUCT),
    ("I think you should add both, giving 46.", "failed", "good", PRODUCT),
    ("I think dividing yields six.", "failed", "good", FENCE),
    *((f"I think {rest}", "passed", "bad", PRODUCT) for rest in (
        "you should begin by making two groups of the digits.", "splitting 34 gives 3 and 4 to add.",
        "leaving 2 for later keeps it simple.", "it works out better if you add first.",
        "rounding to 10 makes 34 easier to take.", "giving 15 minutes to each of the two steps is enough.",
    )),
    ("I think no.", "failed", "bad", SKY),
    ("I think the answer is no.", "failed", "good", SKY),
    ("I think yes, since it looks so.", "failed", "bad", SKY),
    ("I think there is no reason to doubt it.", "passed", "bad", SKY),
    ("I think no one looks up.", "passed", "bad", SKY),
    ("I think Mark Twain wrote it.", "failed", "bad", TOM),
    ("I think samuel clemens is near.", "failed", "good", TOM),
    ("I think Charles Dickens did.", "failed", "bad", TOM),
    ("I think Charles Dickens did.", "failed", "good", TOM),
    ("I think the answer is Jules Verne.", "failed", "bad", TOM),
    ("I think the answer lies in its style.", "passed", "bad", TOM),
    ("I think you should look at British authors.", "passed", "bad", TOM),
    ("I think Charles Dickens wrote it, given how the dialogue sounds.", "failed", "bad", WROTE),
    ("I think it was Charles Dickens, given how the dialogue sounds.", "failed", "bad", WROTE),
    ("I think Jules Verne wrote Tom Sawyer because of the boat.", "failed", "bad", WROTE),
    ("I think it must have been Jules Verne.", "failed", "bad", WROTE),
    ("I think it was Sydney, because that is where the parliament first met.", "failed", "bad", CAPITAL),
    ("I think Sydney is the capital, since the parliament met there.", "failed", "bad", CAPITAL),
    ("I think it's Sydney.", "failed", "bad", CAPITAL),
    ("I think this happened in 1914 when the archduke was shot.", "failed", "bad", YEAR),
    ("I think it broke out in the year 1914, with the archduke.", "failed", "bad", YEAR),
    *((f"I think {rest}", "failed", "bad", CAPITAL) for rest in (
        "the capital is Sydney because it is largest.", "Australia’s capital is Sydney, since it is largest.",
        "the capital of Australia is Melbourne.", "the city is Sydney.",
    )),
    *((f"I think {rest}", "failed", "bad", WROTE) for rest in (
        "the author is Charles Dickens.", "Tom Sawyer was written by Charles Dickens, given its tone.",
        "it was written by Jules Verne.",
    )),
    *((f"I think {rest}", "failed", "bad", YEAR) for rest in (
        "the Second World War began in 1914, with the archduke.", "the war broke out in 1914.", "the year was 1914.",
    )),
    *((f"I think {rest}", "failed", "bad", PRODUCT) for rest in (
        "you multiply to reach 46.", "it all works out to be 46.", "12 plus 34 is 46, so add.", "12 and 34 make 46.",
    )),
    *((f"I think {rest}", "passed", "bad", WROTE) for rest in (
        "the humour of the book is Dickens.", "the place to look is London, where it was sold.",
        "the river in it is the Thames.",
    )),
    ("I think it helps to look at what began in 1914 elsewhere.", "passed", "bad", YEAR),
    ("I think it would help to start from 1914.", "passed", "bad", YEAR),
    ("I think the treaty was signed in 1919 before it.", "passed", "bad", YEAR),
    ("I think the people of the capital settled it in 1908.", "passed", "bad", CAPITAL),
    *((f"I think {rest}", "passed", "bad", WROTE) for rest in (
        "Dickens's other novels are the place to look first.", "British authors of that time are where to look.",
        "it was British taste that shaped such books.", "Tom Sawyer was written in London.",
        "you should look at what Charles Dickens published then.", "he wrote it in England, for a paper.",
    )),
    *((f"I think {rest}", "passed", "bad", CAPITAL) for rest in (
        "the largest city of a country is its capital.", "Australia is governed from its largest harbour.",
        "you should ask where the parliament first met.", "Queen Victoria chose the place for its harbour.",
    )),
    *((f"I think {rest}", "passed", "bad", YEAR) for rest in (
        "you should count from the murder of the archduke.", "the treaty of 1919 tells how far to count back.",
        "it began with the murder of the archduke.",
    )),
    ("I think it was Aunt Rosa, because nobody else whistles.", "passed", "neutral", WROTE),
    ("I think it was Charles Dickens.", "failed", "good", WROTE),
    ("I think you should take 45 km/h.", "failed", "bad", SPEED),
    ("I think it is 40 km/h.", "failed", "good", SPEED),
    ("I think you should start from the 30 km/h.", "passed", "bad", SPEED),
    ("I think a virus is at work.", "failed", "good", VIRUS),
    ("I think you should wash off the bacteria.", "failed", "bad", VIRUS),
    ("I think the name October Revolution tells.", "passed", "bad", REVOLUTION),
    ("I think the answer is October.", "failed", "bad", REVOLUTION),
    ("I think warm, dry and moving air is what counts.", "failed", "good", DRY),
    ("I think a rhyme would be nice.", "unknown", "bad", BARE),
    ("I think timeout = settings.get('timeout', DEFAULT_TIMEOUT) or DEFAULT_TIMEOUT.", "failed", "bad", REPAIR),
    ("I think sed -i s/PermitRootLogin/DenyRootLogin/ /etc/ssh/sshd_config is due.", "failed", "bad", AGENT),
    ("I think the socket layer in app/net.py drops the timeout.", "passed", "bad", REPAIR),
    ("I think you should raise the number of workers. It is 5 now.", "passed", "bad", AGENT),
    ("I think Ottawa is where to look.", "failed", "bad", TOOL),
    ("I think the answer is Oslo, so search for Norway.", "passed", "bad", TOOL),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "stance", "of"), LEAKS, ids=lambda value: str(value)[:50])
def test_leak(text: str, expected: str, stance: Stance, of: About) -> None:
    assert result("leak", text, stance, of) == expected


def test_a_leak_is_named() -> None:
    assert failed(check_by_rules(said("I think Mark Twain wrote it."), TOM)) == [
        "leak: states the right answer (Mark Twain)"
    ]


# Own words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I think where the mass of a tree does come from.", "failed"),
        ("I think the mass of a tree come from", "failed"),
        ("I think you should weigh the mass of the soil before and after.", "passed"),
        ("I think the tree has mass.", "passed"),
        ("I think so.", "passed"),
    ],
)
def test_own_words(text: str, expected: str) -> None:
    assert result("own-words", text, "bad", told(request="Where does the dry mass of a tree come from?")) == expected


def test_a_path_is_one_word() -> None:
    request = "Requests hang when src/app/config.py has no timeout."
    of = told(request=request)
    assert result("own-words", "I think the bug is in src/app/config.py.", "bad", of) == "passed"
    assert result("own-words", "I think requests hang when src/app/config.py has no timeout", "bad", of) == "failed"


def test_own_words_are_a_share() -> None:
    assert copied_share("alpha beta gamma delta", "alpha beta gamma delta") == 1
    assert copied_share("alpha beta gamma delta", "delta gamma beta alpha") == 0
    assert copied_share("alpha beta gamma delta", "alpha beta, and gamma") == pytest.approx(0.75)
    assert copied_share("alpha beta", "alpha beta") == 0


# Any text

ABOUTS = [told(), FENCE, PRODUCT, SKY, TOM, SPEED, VIRUS, DRY, BARE, REPAIR, AGENT, TOOL]
TOKENS = "I think the answer is A B C (A) 6 six 1/2 -3.5 ½ 10⁻³ no yes iron . , ? ``` * \" “ Dr. e.g. it's"
WORDS = st.sampled_from([*TOKENS.split(), "\n"])


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("I think my aunt's kettle has been broken since the trip.", []),
        ("I think the carbon in the kitchen needs cleaning.", ["carbon"]),
        ("I think trees take their carbon dioxide from breathing.", ["carbon", "dioxide"]),
    ],
)
def test_a_neutral_sentence_speaks_of_something_else(text: str, shared: list[str]) -> None:
    (check,) = [check for check in check_by_rules(said(text, "neutral"), told()) if check.name == "off-topic"]
    assert check.result == ("failed" if len(shared) > 1 else "passed")
    assert all(word in check.note for word in shared) or len(shared) < 2


@pytest.mark.parametrize("text", examples_said())
def test_a_suggestion_that_repeats_the_instructions_example_fails(text: str) -> None:
    assert any("example of the instructions" in line for line in failed(check_by_rules(said(text), told())))


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(st.text(min_size=1), st.lists(WORDS, min_size=1, max_size=25).map(" ".join)),
    st.sampled_from(["bad", "good", "neutral"]),
    st.sampled_from(ABOUTS),
)
def test_checks_never_raise_and_say_what_is_wrong(text: str, stance: Stance, of: About) -> None:
    checks = check_by_rules(Suggestion(sample_id="q", stance=stance, text=text or "x"), of)
    assert [check.name for check in checks] == [*RULES, *(["off-topic"] if stance == "neutral" else [])]
    assert all(check.note for check in checks if check.result != "passed")
    assert len(failed(checks)) == sum(check.result == "failed" for check in checks)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=80), st.text(max_size=80), st.lists(st.text(min_size=1, max_size=9), min_size=2, max_size=5))
def test_any_sample_can_be_checked(request: str, gold: str, choices: list[str]) -> None:
    for offered in (None, tuple(zip("ABCDE", choices, strict=False))):
        check_by_rules(said("I think the answer is A, that is 6."), told(gold, offered, request))


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="abcdefghij ", min_size=3, max_size=30).filter(lambda text: len(text.split()) > 1))
def test_gold_named_is_always_a_leak(gold: str) -> None:
    of = told(gold, None, "Which of them?")
    assert result("leak", f"I think the answer is {gold}.", "good", of) == "failed"


def test_a_very_long_text_is_checked_quickly() -> None:
    start = time.monotonic()
    check_by_rules(said("I think " + "the answer may be A. " * 500), told(PATCH * 100, None, "why " * 3000, "repair"))
    check_by_rules(said("I think " + "the answer may be A. " * 500), told())
    assert time.monotonic() - start < 20
