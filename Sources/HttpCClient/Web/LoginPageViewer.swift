import HttpC
import HttpConvPlatform

/// The program that shows login pages.
enum LoginPageViewer: Equatable, Sendable {
    case chromium(isHeadless: Bool)
    /// The person's own browser. For OAuth2 with a listener only, because it shares neither cookies nor pages.
    case system
    case terminal
    /// None, because the settings say so.
    case none

    /// The available programs.
    struct Surroundings: Sendable {
        var hasTerminal: Bool
        /// A display, and a browser of the Chromium family.
        var hasWindow: Bool

        static var current: Surroundings {
            Surroundings(hasTerminal: TerminalPrompter.isAvailable, hasWindow: hasBrowser(isHeadless: false))
        }

        /// Whether there is a browser that needs no window.
        static var hasBrowser: Bool { hasBrowser(isHeadless: true) }

        private static func hasBrowser(isHeadless: Bool) -> Bool {
            #if os(Linux)
            var options = ChromiumStrategy.Options()
            options.isHeadless = isHeadless
            return ChromiumStrategy(options).isAvailable
            #else
            return false
            #endif
        }
    }

    /// Whether it can be shown here.
    ///
    /// - Parameters:
    ///   - hasAnswers: whether there are prepared answers, with which the terminal needs no person
    ///   - canListen: whether the login ends at a listener on this machine
    func isPossible(hasAnswers: Bool, canListen: Bool, in place: Surroundings) -> Bool {
        switch self {
        case .chromium(let isHeadless): isHeadless || place.hasWindow
        case .system: canListen
        case .terminal: place.hasTerminal || hasAnswers
        case .none: true
        }
    }

    /// The viewers for a kind of login, in the order in which they are tried. The next one is tried only if a viewer
    /// cannot open its window.
    ///
    /// - Parameter others: the choices of the profile after its first one
    static func choose(
        _ wish: Profile.ViewerChoice?, others: [Profile.ViewerChoice], isHeadless: Bool, hasAnswers: Bool,
        canListen: Bool,
        in place: Surroundings
    ) -> [LoginPageViewer] {
        let viewers = ([wish] + others).map {
            choose($0, isHeadless: isHeadless, hasAnswers: hasAnswers, canListen: canListen, in: place)
        }
        let possible = viewers.filter { $0.isPossible(hasAnswers: hasAnswers, canListen: canListen, in: place) }
        // If nobody has chosen a viewer, the terminal is the fallback for a window that cannot be opened.
        let hasAlternative =
            wish == nil && viewers == [.chromium(isHeadless: false)]
            && LoginPageViewer.terminal.isPossible(hasAnswers: hasAnswers, canListen: canListen, in: place)
        return (possible.isEmpty ? [viewers[0]] : possible) + (hasAlternative ? [.terminal] : [])
    }

    /// The viewer for a kind of login.
    ///
    /// - Parameters:
    ///   - wish: the choice of the command line, else of the profile
    ///   - hasAnswers: whether there are prepared answers, which the system's browser cannot use
    ///   - canListen: whether the login ends at a listener on this machine
    static func choose(
        _ wish: Profile.ViewerChoice?, isHeadless: Bool, hasAnswers: Bool, canListen: Bool, in place: Surroundings
    ) -> LoginPageViewer {
        switch wish {
        case .chromium?: return .chromium(isHeadless: isHeadless)
        case .headless?: return .chromium(isHeadless: true)
        case .system?: return .system
        case .terminal?: return .terminal
        case Profile.ViewerChoice.none?: return .none
        case nil:
            if isHeadless { return .chromium(isHeadless: true) }
            if canListen, !hasAnswers { return .system }
            // Without a person, a window would wait forever.
            if hasAnswers, !place.hasTerminal { return .terminal }
            return place.hasWindow ? .chromium(isHeadless: false) : .terminal
        }
    }
}
