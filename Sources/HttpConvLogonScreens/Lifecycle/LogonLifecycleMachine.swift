/// Decides when an application's content is covered, when the vault is locked, and when the person is asked to unlock
/// it: event in, actions out. It never waits, and knows neither system nor vault.
struct LogonLifecycleMachine: Hashable, Sendable {
    /// The state of the application, and of the question to the person.
    enum State: Hashable, Sendable {
        /// The person sees and uses the application.
        case open
        /// Visible and not used, such as in the application switcher.
        case inactive
        /// In the background since an uptime.
        case background(since: Duration)
        /// In use again after a time in the background, while it is not yet decided whether the vault stays open.
        case judging(away: Duration)
        /// The same, and not used again meanwhile.
        case judgingInactive(away: Duration)
        /// The person is asked to unlock.
        case unlocking
        /// The same, and not used meanwhile: the application switcher, or the system's sheet that asks for the face.
        case unlockingInactive
        /// In the background since an uptime, while the person is being asked.
        case unlockingAway(since: Duration)
        /// In use, locked, and the person has declined to unlock.
        case locked
        /// The same, not in use: the person is asked on the return.
        case lockedAway
    }

    enum Event: Hashable, Sendable {
        /// The application is no longer used: another window, a sheet of the system, or the application switcher.
        case resigned
        /// It went to the background, at an uptime.
        case left(at: Duration)
        /// It is used again, at an uptime.
        case returned(at: Duration)
        /// The answer to ``Action/judge(away:)``, with its time. An answer about another time has no effect.
        case judged(away: Duration, mustLock: Bool)
        /// The device was locked.
        case deviceLocked
        /// The person wants to unlock.
        case asked
        /// The end of ``Action/unlock``.
        case unlockEnded(isOpen: Bool)
        /// Another account is used from now on.
        case switched
    }

    enum Action: Hashable, Sendable {
        /// Find out whether the vault must be locked after a time in the background.
        case judge(away: Duration)
        /// Lock the vault at once.
        case lock
        /// Ask the person to unlock: by biometry, or the passcode.
        case unlock
    }

    private(set) var state = State.open

    /// Whether the content is hidden. Everything but use hides it, also a state that is not decided yet.
    var isCovered: Bool { state != .open }

    mutating func handle(_ event: Event) -> [Action] {
        let (next, actions) = Self.after(state, event)
        state = next
        return actions
    }

    static func after(_ state: State, _ event: Event) -> (State, [Action]) {
        switch (state, event) {
        case (.open, .resigned): (.inactive, [])
        case (.open, .left(let now)), (.inactive, .left(let now)): (.background(since: now), [])
        case (.inactive, .returned): (.open, [])
        case (.background(let since), .returned(let now)):
            // A clock that went back counts as no time: the device's lock is noticed by itself.
            (.judging(away: max(.zero, now - since)), [.judge(away: max(.zero, now - since))])
        // Not decided yet: the time goes on.
        case (.judging(let away), .left(let now)), (.judgingInactive(let away), .left(let now)):
            (.background(since: now - away), [])
        case (.judging(let away), .resigned): (.judgingInactive(away: away), [])
        case (.judgingInactive(let away), .returned): (.judging(away: away), [])
        case (.judgingInactive(let away), .judged(let judged, let mustLock)) where judged == away:
            mustLock ? (.lockedAway, [.lock]) : (.inactive, [])
        case (.judging(let away), .judged(let judged, let mustLock)) where judged == away:
            mustLock ? (.unlocking, [.lock, .unlock]) : (.open, [])
        case (.unlocking, .resigned): (.unlockingInactive, [])
        case (.unlockingInactive, .returned): (.unlocking, [])
        case (.unlocking, .unlockEnded(true)): (.open, [])
        case (.unlockingInactive, .unlockEnded(true)): (.inactive, [])
        // The sheet for the face may end before the application is active again: then the person is not asked once
        // more.
        case (.unlocking, .unlockEnded(false)), (.unlockingInactive, .unlockEnded(false)): (.locked, [])
        case (.unlocking, .left(let now)), (.unlockingInactive, .left(let now)): (.unlockingAway(since: now), [])
        case (.unlockingAway, .returned): (.unlocking, [])
        case (.unlockingAway(let since), .unlockEnded(true)): (.background(since: since), [])
        case (.unlockingAway, .unlockEnded(false)): (.lockedAway, [])
        case (.locked, .asked): (.unlocking, [.unlock])
        case (.locked, .left): (.lockedAway, [])
        case (.lockedAway, .returned): (.unlocking, [.unlock])
        case (_, .deviceLocked): locked(state)
        case (_, .switched): switched(state)
        default: (state, [])
        }
    }

    private static func locked(_ state: State) -> (State, [Action]) {
        switch state {
        case .open, .judging: (.locked, [.lock])
        case .inactive, .background, .judgingInactive: (.lockedAway, [.lock])
        // The question that is shown ends with the lock.
        case .unlocking, .unlockingInactive, .unlockingAway: (state, [.lock])
        case .locked, .lockedAway: (state, [])
        }
    }

    /// Locks the vault of the previous account. The dialogue of the next account opens its own vault.
    private static func switched(_ state: State) -> (State, [Action]) {
        switch state {
        case .open, .judging, .unlocking, .locked: (.open, [.lock])
        case .judgingInactive, .unlockingInactive: (.inactive, [.lock])
        case .inactive, .background, .unlockingAway, .lockedAway: (state, [.lock])
        }
    }
}
