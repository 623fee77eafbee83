"""Everybody gives the same answer to the questions of the benchmarks, whatever the data."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.timing import compare

# They import engines that need not be installed.
questions = pytest.importorskip("benchmarks.questions")
sources = pytest.importorskip("benchmarks.sources")
held_back = pytest.importorskip("benchmarks.tasks.held_back")
curves = pytest.importorskip("benchmarks.tasks.curves")


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("kind", [questions.PLAIN, *held_back.KINDS], ids=lambda kind: kind.name)
@pytest.mark.parametrize("question", questions.QUESTIONS, ids=lambda question: question.name)
def test_everybody_gives_the_same_answer_to_a_question_of_any_kind_of_data(question, kind):
    answers = {
        name: run().answer
        for name, run in sources.runs_of(
            question, sources.InMemory(questions.make_tables(question, 200, kind), 1)
        ).items()
    }
    assert len(answers) == 4
    compare(answers)


@pytest.mark.parametrize("question", questions.QUESTIONS, ids=lambda question: question.name)
def test_everybody_gives_the_same_answer_to_a_question_of_files(question, tmp_path):
    source = sources.write_tables(tmp_path, questions.make_tables(question, 100), 1)
    compare({name: run().answer for name, run in sources.runs_of(question, source).items()})


@pytest.mark.parametrize("kind", [questions.PLAIN, *held_back.KINDS], ids=lambda kind: kind.name)
def test_keys_that_differ_stay_different_whatever_their_kind(kind):
    assert len(set(kind.change(np.arange(10_000)).tolist())) == 10_000


def test_curves_go_from_a_thousand_rows_to_the_most_in_steps_of_ten():
    assert curves.sizes(1_000) == [1_000]
    assert curves.sizes(999_999) == [1_000, 10_000, 100_000]
    assert curves.sizes(1_000_000)[-1] == 1_000_000
