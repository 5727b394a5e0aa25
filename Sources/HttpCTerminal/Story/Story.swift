import HttpC
import HttpConvFormats
import Synchronization

/// -v: one plain sentence for each step. -vv: also the heads of requests and answers, with curl's marks, `>` for sent
/// and `<` for received. All of it is redacted and sanitised (security rules S20 and S21).
package final class Story: ConversationObserver {
    private struct State {
        var conversations: [ConversationID: Conversation] = [:]
        var count = 0
        /// The lines that are printed once only.
        var said: Set<String> = []
    }

    private let diagnostics: Diagnostics
    private let showsHeads: Bool
    private let isNumbered: Bool
    private let state = Mutex(State())

    /// Creates a story; nil without -v.
    ///
    /// - Parameters:
    ///   - level: the number of -v
    ///   - isParallel: whether several conversations of the caller run at once, and so have numbers
    package init?(level: Int, isParallel: Bool = false, _ diagnostics: Diagnostics) {
        guard level > 0 else { return nil }
        self.diagnostics = diagnostics
        showsHeads = level > 1
        isNumbered = isParallel
    }

    /// Names the profile in use.
    package func apply(profile: String) {
        state.withLock { print(.said("The profile \"\(TerminalText.sanitise(profile))\" applies."), "", &$0) }
    }

    func observe(_ event: ConversationEvent) {
        // Waits are reported already, together with those outside conversations.
        if case .waiting = event.kind, !diagnostics.isSilent { return }
        // Prints under the lock, so that one event's lines stay together.
        state.withLock { state in
            var conversation = state.conversations[event.conversationID] ?? begin(event, &state)
            // A page of a login is requested in the middle of the outer conversation.
            if let parent = event.parentID, var outer = state.conversations[parent] {
                for line in outer.pause() { print(line, outer.margin, &state) }
                state.conversations[parent] = outer
            }
            for line in conversation.lines(for: event) { print(line, conversation.margin, &state) }
            state.conversations[event.conversationID] = conversation.isOver ? nil : conversation
        }
    }

    private func begin(_ event: ConversationEvent, _ state: inout State) -> Conversation {
        if let parent = event.parentID.flatMap({ state.conversations[$0] }) {
            return Conversation(margin: parent.margin + "  ", isPart: true)
        }
        state.count += 1
        return Conversation(margin: isNumbered ? "[\(state.count)] " : "", isPart: event.parentID != nil)
    }

    private func print(_ line: Line, _ margin: String, _ state: inout State) {
        switch line {
        case .once(let text): if state.said.insert(text).inserted { print(.said(text), margin, &state) }
        case .said(let text): diagnostics.line(diagnostics.style.paint("* \(margin)\(text)", .dim))
        case .sent(let text): if showsHeads { diagnostics.line(diagnostics.style.paint("> \(text)", .cyan)) }
        case .received(let text): if showsHeads { diagnostics.line(diagnostics.style.paint("< \(text)", .green)) }
        }
    }

    /// A line of the story.
    enum Line: Hashable {
        case said(String)
        /// A line that is printed the first time only.
        case once(String)
        /// A line of a head.
        case sent(String)
        case received(String)
    }

    package static func milliseconds(_ duration: Duration) -> String {
        let tenths = PeerNumber.integer(duration / .microseconds(100), clampingTo: 0...Int.max) ?? 0
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
