/// Receives the events of an ``XMLEventReader``. An error that it throws ends the reading.
package protocol XMLEventHandler: AnyObject {
    func started(_ element: XMLElementStart) throws(FormatFailure)
    func ended() throws(FormatFailure)
    /// Receives a piece of an element's text.
    func read(_ text: String) throws(FormatFailure)
}
