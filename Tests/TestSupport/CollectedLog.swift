public import Logging
import Synchronization

/// A log that keeps all messages with their metadata.
public final class CollectedLog: Sendable {
    /// A call of the logger.
    public struct Entry: Sendable {
        public let level: Logger.Level
        /// Message and metadata.
        public let text: String
    }

    private let state = Mutex<[Entry]>([])

    public init() {}

    /// The entries so far, of every level.
    public var entries: [Entry] { state.withLock { $0 } }
    public var lines: [String] { entries.map { "\($0.level) \($0.text)" } }

    /// A logger that writes here.
    public var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            log.state.withLock { $0.append(Entry(level: event.level, text: "\(event.message) \(all)")) }
        }
    }
}
