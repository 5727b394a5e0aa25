import HTTPTypes

extension ConversationLoop {
    /// Credentials and cookies, on a copy that serves one exchange only (security rule S7).
    mutating func authorize(_ hop: Hop) async throws(ConversationError) -> ConversationStateMachine.Event {
        var exchange = Exchange(hop)
        // The answer to this exchange's challenge goes before what filters attach on their own account.
        let destination = CredentialDestination(target: exchange.target, callersURL: context.root.target)
        if let answer = challenges.answer(for: destination) {
            try await attach(answer, to: &exchange)
        } else {
            try await waitForSteps(covering: exchange.request)
        }
        let filters = configuration.requestFilters.entries
        for index in filters.indices {
            let authorization = exchange.request.headerFields[.authorization]
            do { try await filters[index].element.authorize(&exchange.request, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
            if authorization != nil { exchange.request.headerFields[.authorization] = authorization }
        }
        if !exchange.request.headerFields.contains(.authorization) {
            await context.session.credentials.waitForProbes(covering: destination, unlessBy: context.id)
            if let known = knownCredential(for: destination) { try await attach(known, to: &exchange) }
        }
        attachCookies(to: &exchange)
        return .authorized(exchange)
    }

    private func attach(
        _ sent: SentCredential, to exchange: inout Exchange
    ) async throws(ConversationError) {
        guard !exchange.request.headerFields.contains(.authorization) else { return }
        // Digest may have been offered since it was given.
        guard sent.space.method != .basic || context.sendsBasic(to: sent.space.origin) else { return }
        do {
            let value = try await sent.credential.authorization(for: exchange.request)
            exchange.request.headerFields.append(try HTTPField(.authorization, checking: value))
        } catch {
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "The credential for \(sent.space) cannot be sent.")
        }
        exchange.sent = sent
    }

    /// What the session knows for this URL and may send before anybody asks.
    private func knownCredential(for destination: CredentialDestination) -> SentCredential? {
        let store = context.session.credentials
        guard let known = store.preemptive(for: destination, sendsBasic: context.sendsBasic) else { return nil }
        // Refused once in this conversation: not sent again until somebody says something new.
        if challenges.refused(in: known.space).contains(where: { $0.hasSameSecret(as: known.credential) }) {
            return nil
        }
        return SentCredential(space: known.space, credential: known.credential, persistence: .session)
    }

    /// The store's cookies join the caller's own, whose names win.
    private func attachCookies(to exchange: inout Exchange) {
        exchange.cookieEpoch = exchange.hop.redirectedUnder ?? context.session.epoch.current
        guard let stored = context.session.cookies.header(for: exchange.target) else { return }
        // One field as it is: setting it by name would split it into a field for each cookie.
        guard exchange.request.headerFields.contains(.cookie) else {
            exchange.request.headerFields.append(HTTPField(name: .cookie, value: stored))
            return
        }
        let own = exchange.request.headerFields[.cookie] ?? ""
        let names = Set(own.split(ascii: ";").map { CookieHeader.name(of: $0) })
        let added = stored.split(ascii: ";").filter { !names.contains(CookieHeader.name(of: $0)) }
        let joined = ([Substring(own)] + added).map(\.trimmingSpaces).joined(separator: "; ")
        exchange.request.headerFields[.cookie] = joined
    }
}

/// Reads `Cookie` field values.
enum CookieHeader {
    /// The name of one pair.
    static func name(of pair: Substring) -> Substring {
        pair.prefix(upToASCII: "=").trimmingSpaces
    }
}
