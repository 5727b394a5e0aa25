import HttpConversation

/// Stops requests before the logon and while the vault is locked; one passcode question serves all of them. Renews the
/// certificate when it is due.
struct LogonGate: RequestFilter {
    let logon: Logon
    let person: LogonPerson
    let unlocker: (any LogonUnlocker)?

    /// Runs before every exchange: the vault may be locked in the middle of a conversation.
    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        do {
            try await open(context)
            guard person.certificate.isDue else { return }
            _ = try await context.perform(renewal)
            // The vault may have been locked meanwhile.
            try await open(context)
        } catch let error as LogonError {
            throw ConversationError(
                error.code == .operationCancelled ? .cancelled : .authenticationFailed, error.message,
                underlyingError: error)
        }
    }

    private func open(_ context: ConversationContext) async throws {
        if try await logon.isReady(for: person) { return }
        if try await !logon.hasPasscode() {
            do { _ = try await context.perform(openingWithoutPasscode) } catch {
                // A person may be able to help, such as with a passcode that the policy wants by now.
                guard unlocker != nil else { throw error }
            }
        }
        if try await logon.isReady(for: person) { return }
        guard let unlocker else { throw Self.locked }
        _ = try await context.perform(question(unlocker))
        guard try await logon.isReady(for: person) else { throw Self.locked }
    }

    private enum Key: Hashable {
        case renewal(ObjectIdentifier)
        case openWithoutPasscode(ObjectIdentifier)
        case question(ObjectIdentifier)
    }

    private var renewal: ConversationStep<StepOutcome> {
        ConversationStep<StepOutcome>(Key.renewal(ObjectIdentifier(person)), policy: .fetch) {
            [person] (_) async throws in
            try await person.renewCertificate()
        }
    }

    /// Opens a vault without a passcode; no person is needed.
    private var openingWithoutPasscode: ConversationStep<StepOutcome> {
        ConversationStep<StepOutcome>(Key.openWithoutPasscode(ObjectIdentifier(person)), policy: .fetch) {
            [logon, person] (_) async throws -> Void in try await logon.openWithoutPasscode(for: person)
        }
    }

    private func question(_ unlocker: any LogonUnlocker) -> ConversationStep<StepOutcome> {
        ConversationStep<StepOutcome>(
            Key.question(ObjectIdentifier(person)), policy: StepPolicy(isInteractive: true)
        ) { [logon, person] (_) async throws -> Void in
            guard try await !logon.isReady(for: person) else { return }
            do { try await unlocker.unlock(logon) } catch {
                // Another caller may have opened it meanwhile.
                guard (try? await logon.isReady(for: person)) == true else { throw error }
            }
        }
    }

    private static var locked: LogonError {
        LogonError(
            .operationNotAllowed, "The vault is locked, and this process cannot ask for the passcode: unlock it first."
        )
    }
}
