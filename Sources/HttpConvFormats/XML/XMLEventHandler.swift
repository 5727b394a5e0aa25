/// Receives the events of an ``XMLEventReader``. An error that it throws ends the reading.
package protocol XMLEventHandler: AnyObject {
    func started(_ element: XMLElementStart) throws(FormatProblem)
    func ended() throws(FormatProblem)
    /// Receives a piece of an element's text.
    func read(_ text: String) throws(FormatProblem)
}
