#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// The decisions about requests that the browser holds, and about messages of WebSockets, which it cannot hold.
extension ChromiumLogin {
    /// Decides about a request that is held.
    func paused(_ event: DevToolsEvent) -> Job? {
        guard let request = event.parameters["requestId"]?.text else { return nil }
        if event.parameters["resourceType"]?.text == "Document", let url = event.parameters["request"]?["url"]?.text {
            switch policy.decide(navigation(to: url, event, kind: "resourceType")) {
            case .finish(let url): return finish(url)
            case .fail(let error): return fail(error)
            case .refuse:
                refuse(request, event)
                return nil
            default: break
            }
        }
        if let place = misplaced(event) {
            refuse(request, event)
            return holdBack(event, place)
        }
        guard held.isEarly(event) else { return release(request, event) }
        return { [self] in
            await held.documentArrives(for: event)
            try await release(request, event, isEarly: true)?()
        }
    }

    /// Lets the browser or the conversation send a request that was held.
    private func release(_ request: String, _ event: DevToolsEvent, isEarly: Bool = false) -> Job? {
        let description = held.describe(event, isEarly: isEarly)
        switch description.map({ policy.decide($0.event) }) {
        case .delegate(let isAnonymous)?:
            guard let request = description?.request else { return nil }
            let isPage = concernsMainFrame(event, kind: "resourceType")
            return { [held] in try await held.perform(request, isAnonymous: isAnonymous, isPage: isPage) }
        case .refuse?: refuse(request, event)
        default: connection.send("Fetch.continueRequest", ["requestId": .string(request)], in: event.session)
        }
        return nil
    }

    func refuse(_ request: String, _ event: DevToolsEvent) {
        connection.send(
            "Fetch.failRequest", ["requestId": .string(request), "errorReason": .string("BlockedByClient")],
            in: event.session)
    }

    /// The server to which a request would take entered values that it must not get (security rule S14); nil if the
    /// request may be sent.
    private func misplaced(_ event: DevToolsEvent) -> String? {
        guard let request = event.parameters["request"] else { return nil }
        // The URL of a redirect with GET is the server's own; 307 and 308 repeat the body.
        let isServersWord = event.parameters["redirectedRequestId"] != nil && request["method"]?.text == "GET"
        return entered.misplaced(request, hasServersURL: isServersWord)
    }

    /// Ends the login if a WebSocket has taken entered values to a server that must not get them: the browser cannot
    /// hold them back.
    mutating func webSocket(_ event: DevToolsEvent) -> Job? {
        guard let place = webSockets.sent(event).flatMap({ entered.misplaced($0) }) else { return nil }
        return fail(
            WebLoginError(
                .answersNotAllowed,
                "A page of the \(login) sent what was filled in to \(place) by a WebSocket, which the browser cannot hold back: change what was filled in, or add \(place) to the origins of the answers if it is to be trusted with them."
            ))
    }

    private func holdBack(_ event: DevToolsEvent, _ place: String) -> Job? {
        guard event.parameters["resourceType"]?.text == "Document" else {
            entered.noteHeldBack(place)
            context.notify("requestHeldBack", ["origin": place])
            return nil
        }
        return fail(
            WebLoginError(
                .answersNotAllowed,
                "A page of the \(login) would send what was filled in to \(place), where it may not go: add it to the origins of the answers if it is to be trusted with them."
            ))
    }
}
#endif
