import HttpC

/// Decides which redirects the relay follows: those of logins. The others are answers, which the client gets, because
/// the links of a page count from the page's own URL.
struct RelayRedirectFilter: RedirectFilter {
    /// The first URL outside the target that a conversation was led to.
    enum Departure: ConversationContextKey { typealias Value = TargetURL }

    /// Whether a conversation asks for another protocol.
    enum Upgrade: ConversationContextKey { typealias Value = Bool }

    let place: RelayPlace

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard let destination = redirect.destination else { return .follow }
        if place.contains(destination) {
            guard followsInside(redirect, to: destination) else { return .stop }
            // A redirect is followed without the change of protocol, and without the fields for it.
            let isBack = context[Upgrade.self] == true && isRequested(destination, redirect)
            return isBack ? .restart(reason: "the redirects lead back to the request for a WebSocket") : .follow
        }
        // The request, with its body, would go to another server.
        let isSafe = redirect.method == .get || redirect.method == .head
        let becomesGet = [301, 302, 303].contains(redirect.response.status.code)
        guard isSafe || becomesGet && redirect.leadsToLogin else { return .stop }
        if context[Departure.self] == nil { context[Departure.self] = destination }
        return .follow
    }

    /// Whether a redirect to the target is part of a login: on the way there, back from it, or to the requested URL.
    private func followsInside(_ redirect: Redirect, to destination: TargetURL) -> Bool {
        redirect.leadsToLogin || !place.contains(redirect.source) || isRequested(destination, redirect)
    }

    private func isRequested(_ destination: TargetURL, _ redirect: Redirect) -> Bool {
        let requested = redirect.context.target
        return destination.origin == requested.origin && destination.requestTarget == requested.requestTarget
    }
}
