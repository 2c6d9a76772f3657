"""What holds for every test: a property is judged by what it finds, never by how long an example took on a busy machine."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_UNTIMED: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("repeatable", **_UNTIMED, derandomize=True)  # one commit, one result
settings.register_profile("explore", **_UNTIMED)  # other examples each time: `.ci/run explore`
settings.load_profile("repeatable")

SLOW = frozenset(
    (
        "test_calibration_chain test_no_foreign_imports test_ray_engine test_local_model "
        "test_two_releases test_label_page test_report_html test_run_pages test_page_states "
        "test_past_faults test_ocr test_interrupts test_spending test_trust "
        "test_calibration_cheats test_certainty test_documents test_convert_maps test_certification "
        "test_capability_registry test_verify test_calibration_watch test_redaction test_batch_mode test_pictures test_sources "
        "test_own_checks test_pytest_plugin test_lexicon test_mlflow "
        "test_how_many_labels_before_the_first_one test_a_thousand_rows_go_out_and_come_back test_no_server_fills_the_memory "
        "test_a_killed_run_is_resumed_with_the_same_result test_the_first_ctrl_c_saves_and_the_same_command_goes_on "
        "test_the_python_example_of_the_readme_runs test_a_finished_run_imports_nothing_that_judges "
        "test_yaml_files_fit_the_schemas_of_their_servers test_equal_to_scikit_learn test_confidence_equals_scikit_learn "
        "test_two_writers_never_mix_lines test_a_cache_that_is_cut_while_it_is_used_ends_no_process "
        "test_a_strict_provider_never_rejects_and_hardly_a_second_is_lost test_bombs_entities_and_broken_parts_are_refused "
        "test_a_hallucination_of_the_deal_shows_the_altered_word_on_its_page test_a_million_distinct_labels_are_refused "
        "test_a_comment_stays_below_what_a_server_takes test_messages_keys_and_names_keep_to_the_glossary "
        "test_no_module_has_guarded_words_or_a_stemmer_of_its_own "
        "test_another_value_gives_another_result test_adjusted_p_values_equal_statsmodels"
    ).split()
)
"""Files and tests of whole runs, browsers, other processes and many examples: `.ci/run full` and CI run them, `.ci/run test` does not."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what is slow; the quick suite has a quarter of the examples of each property."""
    for item in items:
        if item.path.stem in SLOW or getattr(item, "originalname", item.name) in SLOW:
            item.add_marker(pytest.mark.slow)
        given = getattr(item, "obj", None) and getattr(item.obj, "_hypothesis_internal_use_settings", None)
        if given and config.option.markexpr == "not slow" and not hasattr(item.obj, "is_quick"):
            item.obj._hypothesis_internal_use_settings = settings(given, max_examples=max(given.max_examples // 4, 10))
            item.obj.is_quick = True


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    """A browser for the pages of one file."""
    from tests.browser import browser

    with browser() as driver:
        yield driver
