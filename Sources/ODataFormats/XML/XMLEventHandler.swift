/// Is told what an ``XMLEventReader`` reads. What it throws ends the reading.
package protocol XMLEventHandler: AnyObject {
    func started(_ element: XMLElementStart) throws(FormatProblem)
    func ended() throws(FormatProblem)
    /// A piece of the text of an element.
    func read(_ text: String) throws(FormatProblem)
}
