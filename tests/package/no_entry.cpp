/// A sound library that is no plug-in.
extern "C" __attribute__((visibility("default"))) int gemel_something_else() { return 0; }
