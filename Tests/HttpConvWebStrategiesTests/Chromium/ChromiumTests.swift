#if os(Linux)
import Testing

/// The parent of all browser tests, so that one browser runs at a time.
@Suite("Chromium", .serialized, .timeLimit(.minutes(4)))
enum ChromiumTests {}
#endif
