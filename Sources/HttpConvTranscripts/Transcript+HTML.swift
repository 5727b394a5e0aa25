public import HttpConversation

extension Transcript {
    /// The conversations as sequence diagrams, in one page of HTML that needs nothing else.
    ///
    /// A column for the application, the conversation, what logins are shown on, and each server; a row for each request,
    /// answer, redirect, challenge and decision, with its time. Header fields unfold. No script, nothing from elsewhere, light
    /// and dark, for wide and narrow windows. Nothing is in it that the transcript does not have, and what servers said is
    /// text, whatever it looks like.
    ///
    /// - Parameter creator: the program that made it
    public func html(creator: String = "HttpConversation") -> String {
        SequencePage(SequenceDiagram.all(in: self), isCut: isCut, creator: creator).text.markup
    }
}
