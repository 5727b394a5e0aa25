import Logging
import Synchronization

/// What was logged.
final class LogCapture: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        /// Message and metadata.
        let text: String
    }

    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { [self] _ in Handler(capture: self) } }

    private struct Handler: LogHandler {
        let capture: LogCapture
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let entry = Entry(level: event.level, text: "\(event.message) \(event.metadata ?? [:])")
            capture.state.withLock { $0.append(entry) }
        }
    }
}
