import Foundation
import HTTPTypes
import HttpConversation

/// Logs in to a portal that answers requests without a login with 200 and `X-Login: required`.
struct PortalLogin: ResponseFilter {
    struct Account: Codable, Sendable {
        let name: String
        let password: String
    }

    /// The only URL that gets the account.
    let page: TargetURL
    /// Asks the person.
    let ask: @Sendable () async throws -> Account

    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        guard isPortal(response.target), response.headerFields[Self.demand] == "required" else { return .proceed }
        return .restart(reason: "logged in to the portal", after: login)
    }

    /// One login for all conversations of a session; requests to the portal wait while it runs.
    private var login: ConversationStep<StepOutcome> {
        ConversationStep(page, covers: { request, _ in isPortal(request.target) }) { context in
            let account = try await ask()
            let request = HTTPRequest(.post, page, fields: [.contentType: "application/json"])
            let response = try await context.start(request, body: .bytes(JSONEncoder().encode(account)))
            guard response.status == .ok else {
                throw ConversationError(.authenticationFailed, "The portal knows no such name and password.")
            }
            // The filter's own request has a separate session: its cookies become the person's.
            context.session.handOver(response.context.session.cookies.cookies(for: page))
            return .done
        }
    }

    private func isPortal(_ target: TargetURL) -> Bool { target.origin == page.origin }

    // swift-format-ignore: NeverForceUnwrap
    private static let demand = HTTPField.Name("X-Login")!
}

extension HttpConversationManager.Configuration {
    /// Makes conversations log in to the portal.
    mutating func logInToPortal(at page: TargetURL, ask: @escaping @Sendable () async throws -> PortalLogin.Account) {
        responseFilters.add(PortalLogin(page: page, ask: ask), id: "PortalLogin \(page)")
    }
}
