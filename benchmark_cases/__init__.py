"""The bundled benchmark: `pytest --pyargs pytest_vtcfaith.benchmark_cases --vtc-model=NAME`."""
