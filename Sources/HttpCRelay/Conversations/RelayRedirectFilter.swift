import HttpC
import Synchronization

/// Decides which redirects the relay follows: those of logins. The client gets the others as answers, because the links
/// of a page are relative to the page's own URL.
///
/// Not every login can be recognised by the redirect that leads to it. If there is something to log in with elsewhere,
/// any redirect out of the target is followed; the client gets that redirect if no login comes back from there.
struct RelayRedirectFilter: RedirectFilter {
    /// The redirect by which a conversation has left the target; nil before it leaves and after it returns.
    final class Departure: Sendable, ConversationContextKey {
        typealias Value = Departure

        private let state = Mutex<Redirect?>(nil)

        var redirect: Redirect? { state.withLock { $0 } }

        fileprivate func leave(by redirect: Redirect) { state.withLock { $0 = $0 ?? redirect } }
        fileprivate func comeBack() { state.withLock { $0 = nil } }
    }

    /// Whether a conversation asks for another protocol.
    enum Upgrade: ConversationContextKey { typealias Value = Bool }

    let place: TargetDirectory
    /// Whether there is something to log in with at another place.
    let mayLogIn: @Sendable (Origin) -> Bool

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        // Such as myapp:// or mailto:.
        guard let destination = redirect.destination else { return .stop }
        if place.contains(destination) {
            guard followsInside(redirect, to: destination) else { return .stop }
            if !place.contains(redirect.source) { context[Departure.self]?.comeBack() }
            // A redirect is followed without the change of protocol, and without the fields for it.
            let isBack = context[Upgrade.self] == true && isRequested(destination, redirect)
            return isBack ? .restart(reason: "the redirects lead back to the request for a WebSocket") : .follow
        }
        // The request, with its body, would go to another server.
        let isSafe = redirect.method == .get || redirect.method == .head
        let becomesGet = [301, 302, 303].contains(redirect.response.status.code)
        guard isSafe || becomesGet && redirect.leadsToLogin else { return .stop }
        if place.contains(redirect.source) {
            let isDowngrade = redirect.source.origin.scheme == .https && destination.origin.scheme == .http
            // The client of a WebSocket cannot follow a redirect.
            let mayFollow = redirect.leadsToLogin || mayLogIn(destination.origin) || context[Upgrade.self] == true
            guard !isDowngrade, mayFollow else { return .stop }
        }
        context[Departure.self]?.leave(by: redirect)
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
