import HTTPTypes
import HttpConvFormats

extension ConversationLoop {
    /// Adds credentials and cookies to a copy of the request that serves one exchange only (security rule S7).
    nonisolated(nonsending) mutating func authorize(_ hop: Hop) async throws -> ConversationStateMachine.Event {
        var request = hop.request
        var sent: SentCredential?
        let proxy = try chooseProxy(for: request.target)
        // The answer to this exchange's challenge takes precedence over credentials that filters attach themselves.
        let destination = CredentialDestination(target: request.target, callersURL: context.root.target)
        if let answer = challenges.answer(for: destination) {
            if mayCarry(answer, request) {
                if !attachAtOnce(answer, to: &request) { try await attach(answer, to: &request) }
                sent = answer
            }
        } else if context.session.steps.mayCover {
            try await waitForSteps(covering: request)
        }
        for filter in configuration.requestFilters.entries {
            let authorization = Self.authorization(of: request)
            do {
                if try !filter.element.authorizeAtOnce(&request, in: context) {
                    try await filter.element.authorize(&request, in: context)
                }
            } catch {
                throw Self.filterFailed(filter.id, error)
            }
            if let authorization { Self.set(authorization, in: &request) }
        }
        if Self.authorization(of: request) == nil {
            if context.session.credentials.isProbing {
                await waitForProbes(covering: destination, request)
            }
            if let known = knownCredential(for: destination), mayCarry(known, request) {
                if !attachAtOnce(known, to: &request) { try await attach(known, to: &request) }
                sent = known
            }
        }
        // The last wait: a conversation that tries a credential for a proxy must not wait for anything afterwards.
        let proxyUse = proxy == nil ? nil : try await proxyUse(through: proxy, &request)
        let cookieEpoch = hop.redirectedUnder ?? context.session.epoch.current
        attachCookies(to: &request)
        return .authorized(
            Exchange(
                hop, request: consume request, sent: sent, epoch: context.session.credentials.currentEpoch,
                cookieEpoch: cookieEpoch, proxy: proxyUse))
    }

    /// Attaches a credential whose field has to be made for this request.
    private nonisolated(nonsending) func attach(
        _ sent: SentCredential, to request: inout ConversationRequest
    ) async throws {
        do {
            let value = try await sent.credential.authorization(for: request)
            request.headerFields.append(try HTTPField(.authorization, checking: value))
        } catch {
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "The credential for \(sent.space) cannot be sent.")
        }
    }

    // The following functions are never inlined, because their variables would enlarge the frame of each waiting
    // conversation.

    @inline(never) private nonisolated(nonsending) mutating func waitForProbes(
        covering destination: CredentialDestination, _ request: ConversationRequest
    ) async {
        let prober = await context.session.credentials.waitForProbes(
            covering: destination, unlessBy: context.id, clock: probeClock(for: request))
        if let prober { challenges.awaitedProber = prober }
    }

    /// The clock that limits waits for others' logins; nil if the request could not be repeated after a challenge.
    func probeClock(for request: ConversationRequest) -> (any Clock<Duration>)? {
        request.body?.isRestartable == false ? nil : configuration.clock
    }

    /// Whether the request may carry the credential. Digest may have been offered since the credential was chosen.
    @inline(never) private func mayCarry(_ sent: SentCredential, _ request: ConversationRequest) -> Bool {
        !request.headerFields.has(.authorization)
            && (sent.space.method != .basic || context.sendsBasic(to: sent.space))
    }

    /// Attaches a credential whose field is the same for all requests.
    ///
    /// - Returns: whether it is one
    @inline(never) private func attachAtOnce(_ sent: SentCredential, to request: inout ConversationRequest) -> Bool {
        guard let field = sent.field else { return false }
        request.headerFields.append(field.value)
        return true
    }

    @inline(never) private static func authorization(of request: ConversationRequest) -> String? {
        request.headerFields.value(of: .authorization)
    }

    @inline(never) private static func set(_ authorization: String, in request: inout ConversationRequest) {
        request.headerFields[.authorization] = authorization
    }

    /// The session's credential for this URL, if it may be sent ahead.
    @inline(never) private func knownCredential(for destination: CredentialDestination) -> SentCredential? {
        let store = context.session.credentials
        guard let known = store.preemptive(for: destination, sendsBasic: { context.sendsBasic(to: $0) })
        else { return nil }
        // A credential that was refused in this conversation is not sent ahead again.
        if challenges.refused(in: known.space).contains(where: { $0.hasSameSecret(as: known.credential) }) {
            return nil
        }
        return known
    }

    /// Adds the store's cookies to the caller's own, which win by name.
    @inline(never) private func attachCookies(to request: inout ConversationRequest) {
        guard configuration.handlesCookies,
            let stored = context.session.cookies.field(for: request.target)
        else { return }
        // Append the field as it is: setting it by name would split it into one field for each cookie.
        guard request.headerFields.contains(.cookie) else {
            request.headerFields.append(stored)
            return
        }
        let own = request.headerFields[.cookie] ?? ""
        let names = Set(own.split(ascii: ";").map { CookieHeader.name(of: $0) })
        let added = stored.value.split(ascii: ";").filter { !names.contains(CookieHeader.name(of: $0)) }
        let joined = ([Substring(own)] + added).map(\.trimmingSpaces).joined(separator: "; ")
        request.headerFields[.cookie] = joined
    }
}
