import Synchronization

/// The scripts of the raw origin, by path.
final class WireScriptTable: Sendable {
    private let scripts = Mutex<[String: WireScript]>([:])

    subscript(path: String) -> WireScript? {
        get { scripts.withLock { $0[path] } }
        set { scripts.withLock { $0[path] = newValue } }
    }

    func removeAll() {
        scripts.withLock { $0 = [:] }
    }
}
