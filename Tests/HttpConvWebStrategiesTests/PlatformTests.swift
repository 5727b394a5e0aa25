import Testing

@testable import HttpC
@testable import HttpConvWebStrategies

@Suite("The platform's web strategies")
struct PlatformTests {
    @Test func aManagerBringsTheDefault() throws {
        _ = HttpConversationManager()
        #expect(WebStrategies.shared.defaultOAuth2Strategy is RedirectOAuth2Strategy)
    }

    #if os(Linux)
    /// OAuth2 logins that need a view of our own: a window, else the terminal, else a clear error.
    @Test func oauth2ByWhatThereIs() throws {
        var options = ChromiumStrategy.Options()
        for (display, hasTerminal, expected) in [
            (":0", true, "ChromiumStrategy"), ("", true, "TerminalWebStrategy"), ("", false, "nil"),
        ] {
            options.environment = ["DISPLAY": display]
            let view = PlatformWebStrategies.view(ChromiumStrategy(options), hasTerminal: hasTerminal)
            #expect(view.map { "\(type(of: $0))" } ?? "nil" == expected)
        }
    }

    @Test func aDisplayBringsAWindow() {
        let strategies = WebStrategies()
        var options = ChromiumStrategy.Options()
        options.environment = ["DISPLAY": ""]
        PlatformWebStrategies.install(ChromiumStrategy(options), in: strategies)
        #expect(strategies.defaultStrategy == nil)
        options.environment = ["DISPLAY": ":0"]
        PlatformWebStrategies.install(ChromiumStrategy(options), in: strategies)
        #expect(strategies.defaultStrategy is ChromiumStrategy)
    }
    #endif
}
