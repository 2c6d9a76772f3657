"""What holds for every test: a property is judged by what it finds, never by how long an example took on a busy machine."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

SLOW = frozenset(
    (
        "test_calibration_chain test_mutations test_no_foreign_imports test_ray_engine test_local_model "
        "test_two_releases test_label_page test_report_html test_run_pages test_page_states "
        "test_companion_world test_past_faults test_ocr test_interrupts test_spending test_trust "
        "test_calibration_cheats test_certainty test_documents test_convert_maps test_certification "
        "test_capability_registry test_verify test_calibration_watch test_redaction test_batch_mode test_pictures test_sources "
        "test_own_checks test_pytest_plugin "
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
