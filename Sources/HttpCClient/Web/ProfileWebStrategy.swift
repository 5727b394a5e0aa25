import HttpC
import HttpCTerminal

/// Shows a profile's logins, one at a time among all processes that use the profile's cookies.
struct ProfileWebStrategy: WebLoginStrategy {
    let web: ProfileWeb

    func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        guard let cookies = web.cookies, login.returnsCookies, login.trial != nil || finish(of: login) != nil else {
            return try await show(login, in: context)
        }
        return try await SharedLogin(cookies: cookies, diagnostics: web.diagnostics).perform(
            login, finish: finish(of: login) ?? login.start.absoluteString
        ) {
            try await show(login, in: context)
        }
    }

    /// Shows the login with the first viewer that can open its window.
    private func show(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        var viewers = web.viewers(canListen: false)[...]
        while let viewer = viewers.popFirst() {
            do { return try await show(login, with: viewer, in: context) } catch let error as WebLoginError
                where error.code == .noWindow
            {
                guard let next = viewers.first else { throw error }
                web.diagnostics.message("\(error.message) The login goes on \(web.words(next)).")
            }
        }
        throw WebLoginError(.noStrategy, "There is nothing to show the \(login) with.")
    }

    private func show(
        _ login: WebLogin, with viewer: LoginPageViewer, in context: ConversationContext
    ) async throws -> WebLoginOutcome {
        let strategy = try await web.strategy(for: login, of: context.target, in: viewer)
        context.notify(.webLoginShown(login.purpose, origin: login.start.origin, by: web.words(viewer)))
        if viewer == .chromium(isHeadless: false), LoginPageViewer.Surroundings.current.hasWindow {
            web.diagnostics.message(
                "a browser window shows the \(login). It closes by itself at the end; Ctrl-C here gives up.")
        }
        return try await ActiveLogins.shared.during { try await strategy.perform(login, in: context) }
    }

    /// The URL that ends a login that another process has done.
    private func finish(of login: WebLogin) -> String? {
        let parameters: String
        switch login.purpose {
        case .saml2:
            parameters = (try? web.profile.saml2?.config(for: login.start).finishedQuery) ?? ""
        case .webLogin:
            guard case .navigation(let url, let wanted)? = try? web.profile.webLogin?.config(for: login.start).end
            else {
                return nil
            }
            let query = wanted.map { $0.contains("=") ? $0 : $0 + "=true" }.joined(separator: "&")
            return (try? url.appending(query: query).absoluteString).flatMap { login.isFinish($0) ? $0 : nil }
        case .otp: parameters = web.profile.otp?.finishParameters.joined(separator: "&") ?? ""
        default: return nil
        }
        guard let url = try? login.start.appending(query: parameters).absoluteString else { return nil }
        return login.isFinish(url) ? url : nil
    }
}
