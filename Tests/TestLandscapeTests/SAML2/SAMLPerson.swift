import Foundation
import TestLandscape

/// A user with a browser: curl and a cookie file. It can submit forms.
struct SAMLPerson {
    /// A page in the browser, with its URL.
    struct Page {
        let answer: OAuthAnswer
        let url: URL

        var form: HTMLForm? { HTMLForm(answer.body) }
        var isSelfSubmitting: Bool {
            form?.fields.keys.contains { $0 == "SAMLRequest" || $0 == "SAMLResponse" } ?? false
        }
        var user: String? { answer.text("user") }
    }

    let landscape: Landscape
    let origin: LandscapeOrigin
    let cookies: TemporaryFile

    init(_ landscape: Landscape, _ origin: LandscapeOrigin = .main) throws {
        self.landscape = landscape
        self.origin = origin
        cookies = try TemporaryFile("cookies")
    }

    /// Sends one request, without following redirects.
    func request(_ url: String, _ arguments: [String] = []) async throws -> Page {
        let text = try await Curl.run(["-k", "-i", "-b", cookies.path, "-c", cookies.path] + arguments + [url]).text
        return Page(answer: OAuthAnswer(text), url: URL(string: url) ?? URL(filePath: "/"))
    }

    /// Requests a path of the service provider.
    func open(_ path: String, _ arguments: [String] = []) async throws -> Page {
        try await request(landscape.urlString(origin, path), arguments)
    }

    /// Posts the page's form with some fields filled in.
    func submit(_ page: Page, _ changes: [String: String] = [:]) async throws -> Page {
        guard let form = page.form else { return page }
        // RFC 3986: an empty reference keeps the query, `?` does not, a fragment is not sent.
        var target = page.url.absoluteString
        switch form.action {
        case nil, "", "#": break
        case "?": target = String(target.prefix { $0 != "?" }) + "?"
        case let action?: target = URL(string: action, relativeTo: page.url)?.absoluteString ?? action
        }
        let fields = form.fields.merging(changes) { $1 }
        return try await request(target, fields.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] })
    }

    /// Follows redirects and scripts like a browser, until the user has to act or `isEnd` returns true.
    func follow(_ start: Page, until isEnd: (Page) -> Bool = { _ in false }) async throws -> Page {
        var page = start
        for _ in 0..<12 where !isEnd(page) {
            if (301...303).contains(page.answer.status), let location = page.answer["location"],
                let url = URL(string: location, relativeTo: page.url)
            {
                page = try await request(url.absoluteString)
            } else if page.isSelfSubmitting {
                page = try await submit(page)
            } else {
                break
            }
        }
        return page
    }

    /// Opens a path and goes on to the login page.
    func start(_ path: String) async throws -> Page {
        try await follow(try await open(path))
    }

    /// Submits name and password in the form of the page, and goes on to the end.
    func logIn(
        _ page: Page, user: String = "alice", password: String = "wonderland",
        until isEnd: (Page) -> Bool = { _ in false }
    ) async throws -> Page {
        let isUnquoted = page.form?.fields["j_username"] != nil
        let fields =
            isUnquoted
            ? ["j_username": user, "j_password": password, "domain": "corp"] : ["user": user, "password": password]
        return try await follow(try await submit(page, fields), until: isEnd)
    }
}
