import Testing

@testable import HttpConvLogon

/// Every state, with and without a running operation, with every event.
@Suite("State machine of a logon") struct LogonStateMachineTests {
    private typealias Machine = LogonStateMachine

    /// The effect of each operation in each state: `nothing`, `registered`, `locked`, `unlocked`. A number is the code
    /// of a refusal, and a word is the state after success.
    private static let table: [(LogonOperation, [String])] = [
        (.register, ["registered", "4", "4", "4"]),
        (.makeVault, ["11", "unlocked", "11", "11"]),
        (.logon, ["11", "registered", "11", "unlocked"]),
        (.unlock, ["11", "11", "unlocked", "4"]),
        (.changePasscode, ["14", "14", "unlocked", "unlocked"]),
        (.changeBackendPassword, ["11", "11", "11", "unlocked"]),
        (.refreshSettings, ["11", "11", "11", "unlocked"]),
        (.uploadTrace, ["11", "registered", "11", "unlocked"]),
        (.unregister, ["11", "nothing", "11", "nothing"]),
        (.deleteUser, ["11", "nothing", "nothing", "nothing"]),
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        let operation: LogonOperation
        let state: LogonState
        let expected: String
        var testDescription: String { "\(operation) when \(state): \(expected)" }
    }

    static let rows = table.flatMap { operation, cells in
        zip(LogonState.allCases, cells).map { Row(operation: operation, state: $0, expected: $1) }
    }

    @Test func theTableIsComplete() {
        #expect(Self.rows.count == (LogonOperation.allCases.count - 2) * LogonState.allCases.count)
    }

    @Test(arguments: rows) func operations(row: Row) throws {
        var machine = LogonStateMachine(row.state)
        if let number = Int(row.expected) {
            #expect(machine.handle(.begin(row.operation)) == .refuse(try #require(LogonError.Code(rawValue: number))))
            #expect(machine == LogonStateMachine(row.state))
            return
        }
        #expect(machine.handle(.begin(row.operation)) == .perform)
        #expect(machine.running == row.operation)
        #expect(machine.state == row.state)

        // One operation runs at a time.
        for other in LogonOperation.allCases where other != .lock && other != .cancel {
            #expect(machine.handle(.begin(other)) == .refuse(.operationExecutionInProgress))
        }
        #expect(machine.handle(.begin(.cancel)) == .interrupt)
        // The end of another operation is ignored.
        for other in LogonOperation.allCases where other != row.operation {
            #expect(machine.handle(.end(other, succeeded: true)) == .nothing)
            #expect(machine.running == row.operation)
        }

        var failed = machine
        #expect(failed.handle(.end(row.operation, succeeded: false)) == .nothing)
        #expect(failed.running == nil)
        #expect(failed.state == row.state)

        #expect(machine.handle(.end(row.operation, succeeded: true)) == .nothing)
        #expect(machine.running == nil)
        #expect(machine.state.rawValue == row.expected)
    }

    /// Locking is possible at any time, and no running operation undoes it.
    @Test(arguments: rows) func lockingMeanwhile(row: Row) {
        var machine = LogonStateMachine(row.state)
        guard machine.handle(.begin(row.operation)) == .perform else { return }
        guard row.state == .locked || row.state == .unlocked else {
            #expect(machine.handle(.begin(.lock)) == .refuse(.operationNotAllowed))
            return
        }
        #expect(machine.handle(.begin(.lock)) == .lock)
        #expect(machine.state == .locked)
        #expect(machine.running == row.operation)
        let opens = row.operation == .unlock || row.operation == .changePasscode
        #expect(machine.handle(.end(row.operation, succeeded: true)) == (opens ? .lock : .nothing))
        #expect(machine.state == (row.expected == "nothing" ? .nothing : .locked))
        // The next unlocking opens it again.
        guard machine.state == .locked else { return }
        #expect(machine.handle(.begin(.unlock)) == .perform)
        #expect(machine.handle(.end(.unlock, succeeded: true)) == .nothing)
        #expect(machine.state == .unlocked)
    }

    /// Another process makes the vault during the two steps of a registration: the second one has to give up.
    @Test func aVaultIsFoundMeanwhile() {
        var machine = Machine(.nothing)
        _ = machine.handle(.begin(.register))
        #expect(machine.handle(.vaultFound) == .nothing)
        #expect(machine.state == .nothing)
        _ = machine.handle(.end(.register, succeeded: true))
        _ = machine.handle(.begin(.makeVault))
        #expect(machine.handle(.vaultFound) == .nothing)
        _ = machine.handle(.end(.makeVault, succeeded: false))
        #expect(machine.state == .locked && machine.running == nil)
    }

    @Test(arguments: LogonState.allCases) func withoutAnythingInProgress(state: LogonState) {
        let hasVault = state == .locked || state == .unlocked
        var machine = LogonStateMachine(state)
        #expect(machine.handle(.begin(.cancel)) == .nothing)
        #expect(machine == LogonStateMachine(state))
        for operation in LogonOperation.allCases {
            #expect(machine.handle(.end(operation, succeeded: true)) == .nothing)
            #expect(machine == LogonStateMachine(state))
        }

        #expect(machine.handle(.begin(.lock)) == (hasVault ? .lock : .refuse(.operationNotAllowed)))
        #expect(machine.state == (hasVault ? .locked : state))

        var other = LogonStateMachine(state)
        #expect(other.handle(.vaultLocked) == .nothing)
        #expect(other.state == (state == .unlocked ? .locked : state))

        other = LogonStateMachine(state)
        #expect(other.handle(.vaultFound) == .nothing)
        #expect(other.state == (hasVault ? state : .locked))

        other = LogonStateMachine(state)
        #expect(other.handle(.vaultGone) == .nothing)
        #expect(other.state == (hasVault ? .nothing : state))
    }
}
