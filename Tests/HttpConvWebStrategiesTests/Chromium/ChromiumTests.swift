#if os(Linux)
import Testing

/// One browser at a time.
@Suite("Chromium", .serialized, .timeLimit(.minutes(4)))
enum ChromiumTests {}
#endif
