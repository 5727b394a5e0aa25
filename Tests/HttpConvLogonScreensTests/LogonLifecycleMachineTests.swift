import Foundation
import HttpConvVault
import Testing

@testable import HttpConvLogonScreens

/// Every event in every state of an application.
@Suite("Life of an application with a logon") struct LogonLifecycleMachineTests {
    private typealias Machine = LogonLifecycleMachine

    private static let states: [LogonLifecycleMachine.State] = [
        .open, .inactive, .background(since: .seconds(100)), .judging(away: .seconds(30)),
        .judgingInactive(away: .seconds(30)), .unlocking, .unlockingInactive, .unlockingAway(since: .seconds(100)),
        .locked, .lockedAway,
    ]
    private static let events: [LogonLifecycleMachine.Event] = [
        .resigned, .left(at: .seconds(130)), .returned(at: .seconds(130)),
        .judged(away: .seconds(30), mustLock: false), .judged(away: .seconds(30), mustLock: true), .deviceLocked,
        .asked, .unlockEnded(isOpen: true), .unlockEnded(isOpen: false), .switched,
    ]

    /// The state and the actions after each event, in the order of `events`. A dash: nothing changes.
    private static let table: [String] = [
        "inactive | background 130 | - | - | - | locked lock | - | - | - | open lock",
        "- | background 130 | open | - | - | lockedAway lock | - | - | - | inactive lock",
        "- | - | judging 30 judge 30 | - | - | lockedAway lock | - | - | - | background 100 lock",
        "judgingInactive 30 | background 100 | - | open | unlocking lock unlock | locked lock | - | - | - | open lock",
        "- | background 100 | judging 30 | inactive | lockedAway lock | lockedAway lock | - | - | - | inactive lock",
        "unlockingInactive | unlockingAway 130 | - | - | - | unlocking lock | - | open | locked | open lock",
        "- | unlockingAway 130 | unlocking | - | - | unlockingInactive lock | - | inactive | locked | inactive lock",
        "- | - | unlocking | - | - | unlockingAway 100 lock | - | background 100 | lockedAway | unlockingAway 100 lock",
        "- | lockedAway | - | - | - | - | unlocking unlock | - | - | open lock",
        "- | - | unlocking unlock | - | - | - | - | - | - | lockedAway lock",
    ]

    @Test func everyEventInEveryState() {
        #expect(Self.table.count == Self.states.count)
        for (state, row) in zip(Self.states, Self.table) {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(cells.count == Self.events.count)
            for (event, cell) in zip(Self.events, cells) {
                let (next, actions) = Machine.after(state, event)
                let found = ([Self.text(next)] + actions.map(Self.text)).joined(separator: " ")
                #expect(found == (cell == "-" ? Self.text(state) : cell), "\(state), \(event)")
            }
        }
    }

    /// Only use shows the content.
    @Test func onlyUseUncovers() {
        var machine = Machine()
        #expect(!machine.isCovered)
        for event in Self.events.prefix(2) {
            _ = machine.handle(event)
            #expect(machine.isCovered)
        }
    }

    /// The system's sheet that asks for a face makes the application inactive, and active again.
    @Test func theSheetForTheFaceAsksOnce() {
        var machine = Machine()
        _ = machine.handle(.left(at: .zero))
        _ = machine.handle(.returned(at: .seconds(1000)))
        #expect(machine.handle(.judged(away: .seconds(1000), mustLock: true)) == [.lock, .unlock])
        #expect(machine.handle(.resigned) == [] && machine.handle(.returned(at: .seconds(1001))) == [])
        _ = machine.handle(.unlockEnded(isOpen: false))
        #expect(machine.handle(.returned(at: .seconds(1002))) == [] && machine.isCovered)
        #expect(machine.handle(.asked) == [.unlock])
    }

    /// The sheet may end before the application is active again.
    @Test func aSheetThatEndsFirstAsksOnce() {
        var machine = Machine()
        _ = machine.handle(.left(at: .zero))
        _ = machine.handle(.returned(at: .seconds(1000)))
        _ = machine.handle(.judged(away: .seconds(1000), mustLock: true))
        _ = machine.handle(.resigned)
        _ = machine.handle(.unlockEnded(isOpen: false))
        #expect(machine.handle(.returned(at: .seconds(1001))) == [] && machine.state == .locked)
    }

    /// The vault may open while the person looks at the application switcher.
    @Test func theSwitcherSeesNothingOfWhatOpens() {
        var machine = Machine()
        _ = machine.handle(.left(at: .zero))
        _ = machine.handle(.returned(at: .seconds(1000)))
        _ = machine.handle(.judged(away: .seconds(1000), mustLock: true))
        _ = machine.handle(.resigned)
        _ = machine.handle(.unlockEnded(isOpen: true))
        #expect(machine.isCovered)
        _ = machine.handle(.returned(at: .seconds(1001)))
        #expect(machine.state == .open)
    }

    /// The answer about a short absence comes after a long one.
    @Test func anAnswerAboutAnotherTimeUncoversNothing() {
        var machine = Machine()
        _ = machine.handle(.left(at: .zero))
        #expect(machine.handle(.returned(at: .seconds(60))) == [.judge(away: .seconds(60))])
        _ = machine.handle(.left(at: .seconds(61)))
        #expect(machine.handle(.returned(at: .seconds(1000))) == [.judge(away: .seconds(999))])
        #expect(machine.handle(.judged(away: .seconds(60), mustLock: false)) == [] && machine.isCovered)
        #expect(machine.handle(.judged(away: .seconds(999), mustLock: true)) == [.lock, .unlock])
        #expect(machine.state == .unlocking)
    }

    @Test(arguments: [(0, 299, false), (0, 1 << 40, false), (300, 299, false), (300, 300, true), (1, 0, false)])
    func thePolicyDecides(_ timeout: Int, _ away: Int, _ mustLock: Bool) {
        var policy = PasswordPolicy()
        policy.lockTimeout = .seconds(timeout)
        #expect(policy.mustLock(after: .seconds(away)) == mustLock)
    }

    private static func text(_ state: Machine.State) -> String {
        switch state {
        case .open: "open"
        case .inactive: "inactive"
        case .background(let since): "background \(since.components.seconds)"
        case .judging(let away): "judging \(away.components.seconds)"
        case .judgingInactive(let away): "judgingInactive \(away.components.seconds)"
        case .unlocking: "unlocking"
        case .unlockingInactive: "unlockingInactive"
        case .unlockingAway(let since): "unlockingAway \(since.components.seconds)"
        case .locked: "locked"
        case .lockedAway: "lockedAway"
        }
    }

    private static func text(_ action: Machine.Action) -> String {
        switch action {
        case .judge(let away): "judge \(away.components.seconds)"
        case .lock: "lock"
        case .unlock: "unlock"
        }
    }
}
