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
        let jar = login.returnsCookies || login.hasSingleSignOn ? try await cookies() : BrowserCookies.Jar()
        let outcome = WebLoginOutcome(
            url: url, cookies: login.cookiesToKeep(of: jar.cookies),
            singleSignOn: login.cookiesForSingleSignOn(
                of: jar.cookies, alsoAt: options.confirmsSession == nil ? [] : policy.shownOrigins,
                isSet: jar.isSet))
        arrival.fulfil(End(outcome: outcome, page: main))
    }

    func finish(_ url: String) -> Job? { { [self] in try await conclude(url) } }

    func job(for action: WebLoginPolicy.Action) -> Job? {
        guard case .fail(let error) = action else { return nil }
        return fail(error)
    }

    /// Ends the login at once, not in a job: the browser's failure of the refused request comes soon, and says less.
    func fail(_ error: WebLoginError) -> Job? {
        arrival.fail(forms.hidingSecrets(in: error))
        return nil
    }

    /// All cookies of the browser.
    func cookies() async throws -> BrowserCookies.Jar {
        let answer = try await connection.call("Storage.getCookies", within: options.answerLimit)
        return BrowserCookies.Jar(answer["cookies"]?.elements ?? [])
    }
}
#endif
