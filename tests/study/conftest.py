"""Makes fake.py known to the tests."""

import pytest

pytest.register_assert_rewrite("fake")
