public import HttpConversation

extension Transcript {
    /// The conversations as sequence diagrams, in one self-contained page of HTML.
    ///
    /// The application, the conversation, the screen of logins and each server have a column. Each request, answer,
    /// redirect, challenge and decision has a row with its time. Header fields unfold. The page has no script, loads
    /// nothing, and suits light and dark, wide and narrow windows. It contains only data of the transcript, and texts
    /// of servers are escaped.
    ///
    /// - Parameter creator: the program that makes the page
    public func html(creator: String = "HttpConversation") -> String {
        SequencePage(SequenceDiagram.all(in: self), isCut: isCut, creator: creator).text.markup
    }
}
