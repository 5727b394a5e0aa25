#if os(Linux)
import HttpConvAuthFlows
import HttpConversation

extension ChromiumLogin {
    /// Hands over the result, and shows in a window that the login is done.
    func conclude(_ url: String) async throws {
        if let main { connection.send("Page.stopLoading", in: main.session) }
        let view = login.returnsCookies || login.hasSingleSignOn ? try await cookies() : BrowserCookies.View()
        if !options.isHeadless, let main {
            // A login that is done does not fail because of its last page.
            _ = try? await connection.call(
                "Page.navigate", ["url": .string("about:blank")], in: main.session, within: options.answerLimit)
            connection.send(
                "Page.setDocumentContent",
                ["frameId": .string(main.target), "html": .string(FinishedPage.closing.html)], in: main.session)
            try await Task.sleep(for: options.farewell)
        }
        arrival.fulfil(
            WebLoginOutcome(
                url: url, cookies: login.cookiesToKeep(of: view.cookies),
                singleSignOn: login.cookiesForSingleSignOn(
                    of: view.cookies, alsoAt: options.confirmsSession == nil ? [] : policy.shownOrigins,
                    isSet: view.isSet)))
    }

    /// All cookies of the browser.
    func cookies() async throws -> BrowserCookies.View {
        let answer = try await connection.call("Storage.getCookies", within: options.answerLimit)
        return BrowserCookies.View(answer["cookies"]?.elements ?? [])
    }
}
#endif
