import Foundation
import HttpC

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
            Surroundings(hasTerminal: TerminalPrompter.isAvailable, hasWindow: Self.chromium)
        }

        private static var chromium: Bool {
            #if os(Linux)
            ChromiumStrategy().isAvailable
            #else
            false
            #endif
        }
    }

    /// The viewer for a kind of login.
    ///
    /// - Parameters:
    ///   - wish: the choice of the command line, else of the profile
    ///   - hasAnswers: whether there are prepared answers, which the system's browser cannot use
    ///   - canListen: whether the login ends at a listener on this machine
    static func choose(
        _ wish: Profile.WebChoice?, isHeadless: Bool, hasAnswers: Bool, canListen: Bool, in place: Surroundings
    ) -> LoginPageViewer {
        switch wish {
        case .chromium?: return .chromium(isHeadless: isHeadless)
        case .system?: return .system
        case .terminal?: return .terminal
        case Profile.WebChoice.none?: return .none
        case nil:
            if isHeadless { return .chromium(isHeadless: true) }
            if canListen, !hasAnswers { return .system }
            // Without a person, a window would wait forever.
            if hasAnswers, !place.hasTerminal { return .terminal }
            return place.hasWindow ? .chromium(isHeadless: false) : .terminal
        }
    }
}
