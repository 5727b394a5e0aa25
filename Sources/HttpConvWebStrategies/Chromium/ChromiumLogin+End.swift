#if os(Linux)
import HttpConvAuthFlows
import HttpConversation

extension ChromiumLogin {
    /// The result of a login, and the page that it ended on.
    struct End {
        let outcome: WebLoginOutcome
        let page: Page?
    }

    /// Hands over the result.
    func conclude(_ url: String) async throws {
        if let main { connection.send("Page.stopLoading", in: main.session) }
        let view = login.returnsCookies || login.hasSingleSignOn ? try await cookies() : BrowserCookies.View()
        let outcome = WebLoginOutcome(
            url: url, cookies: login.cookiesToKeep(of: view.cookies),
            singleSignOn: login.cookiesForSingleSignOn(
                of: view.cookies, alsoAt: options.confirmsSession == nil ? [] : policy.shownOrigins,
                isSet: view.isSet))
        arrival.fulfil(End(outcome: outcome, page: main))
    }

    /// All cookies of the browser.
    func cookies() async throws -> BrowserCookies.View {
        let answer = try await connection.call("Storage.getCookies", within: options.answerLimit)
        return BrowserCookies.View(answer["cookies"]?.elements ?? [])
    }
}
#endif
