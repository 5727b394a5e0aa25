import Synchronization

/// The gates by the paths they hold.
final class GateTable: Sendable {
    private struct State {
        var gates: [String: Gate] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Closes a gate at the path. A gate that was there is opened.
    func close(_ path: String) -> Gate {
        let gate = Gate()
        let (previous, isStopped) = state.withLock { state in
            (state.gates.updateValue(gate, forKey: path), state.isStopped)
        }
        previous?.release()
        if isStopped { gate.release() }
        return gate
    }

    func gate(for path: String) -> Gate? {
        state.withLock { $0.gates.isEmpty ? nil : $0.gates[path] }
    }

    /// Opens the gate at the path and forgets it.
    func open(_ path: String) -> Bool {
        let gate = state.withLock { $0.gates.removeValue(forKey: path) }
        gate?.release()
        return gate != nil
    }

    func openAll() {
        let gates = state.withLock { state in
            defer { state.gates = [:] }
            return Array(state.gates.values)
        }
        for gate in gates { gate.release() }
    }

    /// Opens all gates for good.
    func stop() {
        state.withLock { $0.isStopped = true }
        openAll()
    }
}
