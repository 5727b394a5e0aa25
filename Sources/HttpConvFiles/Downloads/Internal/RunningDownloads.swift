import HttpConversation
import Synchronization

/// The running downloads, by their conversations' ids, which are unique in the process.
final class RunningDownloads: Sendable {
    static let shared = RunningDownloads()

    private enum Entry {
        case running(Download)
        /// The download ended before it was added.
        case over
    }

    private let state = Mutex<[ConversationID: Entry]>([:])

    func add(_ download: Download) {
        state.withLock { running in
            if running[download.id] == nil {
                running[download.id] = .running(download)
            } else {
                running[download.id] = nil
            }
        }
    }

    func remove(_ id: ConversationID) {
        state.withLock { running in
            if running[id] == nil { running[id] = .over } else { running[id] = nil }
        }
    }

    subscript(id: ConversationID) -> Download? {
        state.withLock { running in if case .running(let download)? = running[id] { download } else { nil } }
    }
}
