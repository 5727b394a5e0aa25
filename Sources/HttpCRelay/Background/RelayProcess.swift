import HttpConvPlatform

/// A process of this machine, told from a later one with the same number.
struct RelayProcess: Codable, Equatable, Sendable {
    let identifier: Int32
    /// The boot of the machine, and the time of the process's start since then.
    let start: String

    /// This process; nil on a system that does not tell when a process was started.
    static var own: RelayProcess? { RelayProcess(getpid()) }

    /// The process with a number; nil if there is none that runs.
    init?(_ identifier: Int32) {
        guard identifier > 1, let boot = RelayMachine.own?.boot,
            let status = RelayMachine.text(of: "/proc/\(identifier)/stat"), let name = status.lastIndex(of: ")")
        else { return nil }
        // The state is the third field, the start the 22nd. The second one is a name, which may have spaces.
        let fields = status[status.index(after: name)...].split(separator: " ")
        guard fields.count > 19, !["Z", "X"].contains(fields[0]) else { return nil }
        self.identifier = identifier
        start = "\(boot) \(fields[19])"
    }

    var isRunning: Bool { RelayProcess(identifier) == self }

    /// Sends a signal, unless the process has ended.
    func send(_ number: Int32) { if isRunning { kill(identifier, number) } }

    /// Whether the process ends within a time.
    func hasEnded(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        // The process is not our child, so the system does not report its end.
        while isRunning {
            guard ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(20))) != nil else {
                return false
            }
        }
        return true
    }
}
