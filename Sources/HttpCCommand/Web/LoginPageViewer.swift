import Foundation
import HttpC

/// What shows login pages.
enum LoginPageViewer: Equatable, Sendable {
    case chromium(isHeadless: Bool)
    /// The person's own browser; for OAuth2 with a listener only, as it keeps its cookies and pages to itself.
    case system
    case terminal
    /// Nothing, because somebody said so.
    case none

    /// What there is to show pages with.
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

    /// What is used for a kind of login.
    ///
    /// - Parameters:
    ///   - wish: of the command line, else of the profile
    ///   - hasAnswers: whether there are prepared answers, which the system's browser cannot be given
    ///   - canListen: whether the end of the login comes to a listener on this machine
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
            // Where nobody is, a window waits for nobody.
            if hasAnswers, !place.hasTerminal { return .terminal }
            return place.hasWindow ? .chromium(isHeadless: false) : .terminal
        }
    }
}
