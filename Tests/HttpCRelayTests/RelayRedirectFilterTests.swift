import HttpC
import HttpConversationTesting
import Testing

@testable import HttpCRelay

@Suite(.timeLimit(.minutes(1))) struct RelayRedirectFilterTests {
    private static let page = "https://intra.example.com/app/x"
    private static let login = "https://idp.example.com/login?return=https%3A%2F%2Fintra.example.com%2Fapp%2Fx"

    /// The URL at which a request ends after redirects, and the redirect by which it has left the target for good.
    private func follow(
        _ locations: String..., status: HTTPResponse.Status = .temporaryRedirect, mayLogIn: Bool
    ) async throws -> (url: String, departure: String?) {
        let place = try TargetDirectory(TargetURL("https://intra.example.com/app/"))
        let departure = RelayRedirectFilter.Departure()
        let transport = ScriptedTransport { _, index in
            index < locations.count ? .init(status, [.location: locations[index]]) : .init(.ok)
        }
        let manager = testManager(transport) {
            $0.redirectFilters.add(RelayRedirectFilter(place: place) { _ in mayLogIn })
        }
        let stream = try await manager.bytes(for: HTTPRequest(.get, Self.page)) { context in
            context[RelayRedirectFilter.Departure.self] = departure
        }
        return (stream.url.absoluteString, departure.redirect?.location)
    }

    @Test(arguments: ["https://other.example/once", "https://intra.example.com/elsewhere", "http://other.example/"])
    func withoutALoginNothingElseIsAsked(location: String) async throws {
        #expect(try await follow(location, mayLogIn: false) == (Self.page, nil))
    }

    @Test(arguments: [true, false], ["myapp://done", "mailto:a@example.com", "http://intra.example.com/app/x"])
    func whatCannotBeFollowedIsHandedOn(mayLogIn: Bool, location: String) async throws {
        #expect(try await follow(location, mayLogIn: mayLogIn) == (Self.page, nil))
    }

    @Test func aRecognisedLoginIsFollowedAndComesBack() async throws {
        #expect(try await follow(Self.login, Self.page, mayLogIn: false) == (Self.page, nil))
    }

    /// The client gets the first redirect out of the target.
    @Test func aDepartureWithoutALoginIsRemembered() async throws {
        let urls = ("https://other.example/a", "https://third.example/b")
        #expect(try await follow(urls.0, urls.1, mayLogIn: true) == (urls.1, urls.0))
        #expect(try await follow(urls.0, Self.page, mayLogIn: true) == (Self.page, nil))
        #expect(try await follow(urls.0, "myapp://done", mayLogIn: true) == (urls.0, urls.0))
    }
}
