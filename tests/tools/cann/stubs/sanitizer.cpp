// What an instrumented kernel calls; that it is there is what tells an instrumented library from others.
extern "C" void __sanitizer_report_store() {}
