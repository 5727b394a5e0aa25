import HTTPTypes

extension ConversationLoop {
    /// Credentials and cookies, on a copy that serves one exchange only (security rule S7).
    mutating func authorize(_ hop: Hop) async throws(ConversationError) -> ConversationStateMachine.Event {
        var request = hop.request
        var sent: SentCredential?
        let proxy = try chooseProxy(for: request.target)
        // The answer to this exchange's challenge goes before what filters attach on their own account.
        let destination = CredentialDestination(target: request.target, callersURL: context.root.target)
        if let answer = challenges.answer(for: destination) {
            if try await attach(answer, to: &request) { sent = answer }
        } else {
            try await waitForSteps(covering: request)
        }
        let filters = configuration.requestFilters.entries
        for index in filters.indices {
            let authorization = request.headerFields[.authorization]
            do { try await filters[index].element.authorize(&request, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
            if authorization != nil { request.headerFields[.authorization] = authorization }
        }
        if !request.headerFields.contains(.authorization) {
            await context.session.credentials.waitForProbes(covering: destination, unlessBy: context.id)
            if let known = knownCredential(for: destination) {
                if try await attach(known, to: &request) { sent = known }
            }
        }
        // Last of what may wait: whoever tries out a credential for a proxy waits for nothing from here on.
        let passage = proxy == nil ? nil : try await passage(through: proxy, &request)
        let cookieEpoch = hop.redirectedUnder ?? context.session.epoch.current
        attachCookies(to: &request)
        return .authorized(
            Exchange(
                hop, request: request, sent: sent, epoch: context.session.credentials.currentEpoch,
                cookieEpoch: cookieEpoch, proxy: passage))
    }

    /// - Returns: whether the request carries it now
    private func attach(
        _ sent: SentCredential, to request: inout ConversationRequest
    ) async throws(ConversationError) -> Bool {
        guard !request.headerFields.contains(.authorization) else { return false }
        // Digest may have been offered since it was given.
        guard sent.space.method != .basic || context.sendsBasic(to: sent.space) else { return false }
        do {
            let value = try await sent.credential.authorization(for: request)
            request.headerFields.append(try HTTPField(.authorization, checking: value))
        } catch {
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "The credential for \(sent.space) cannot be sent.")
        }
        return true
    }

    /// What the session knows for this URL and may send before anybody asks.
    private func knownCredential(for destination: CredentialDestination) -> SentCredential? {
        let store = context.session.credentials
        guard let known = store.preemptive(for: destination, sendsBasic: { context.sendsBasic(to: $0) })
        else { return nil }
        // Refused once in this conversation: not sent again until somebody says something new.
        if challenges.refused(in: known.space).contains(where: { $0.hasSameSecret(as: known.credential) }) {
            return nil
        }
        return SentCredential(space: known.space, credential: known.credential, persistence: .session)
    }

    /// The store's cookies join the caller's own, whose names win.
    private func attachCookies(to request: inout ConversationRequest) {
        guard configuration.handlesCookies,
            let stored = context.session.cookies.header(for: request.target)
        else { return }
        // One field as it is: setting it by name would split it into a field for each cookie.
        guard request.headerFields.contains(.cookie) else {
            request.headerFields.append(HTTPField(name: .cookie, value: stored))
            return
        }
        let own = request.headerFields[.cookie] ?? ""
        let names = Set(own.split(ascii: ";").map { CookieHeader.name(of: $0) })
        let added = stored.split(ascii: ";").filter { !names.contains(CookieHeader.name(of: $0)) }
        let joined = ([Substring(own)] + added).map(\.trimmingSpaces).joined(separator: "; ")
        request.headerFields[.cookie] = joined
    }
}

/// Reads `Cookie` field values.
enum CookieHeader {
    /// The name of one pair.
    static func name(of pair: Substring) -> Substring {
        pair.prefix(upToASCII: "=").trimmingSpaces
    }
}
