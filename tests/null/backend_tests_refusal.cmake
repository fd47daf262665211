# A call with a word misspelt, which must end the configuration.
include(${file})
gemel_add_backend_tests(program BACKEND cuda LABELS some)
