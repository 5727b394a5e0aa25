/// Ids for filters and observers that are added without one.
enum FilterID {
    /// The name of the element's type, with a number if the name is taken.
    static func free(for element: Any, among ids: [String]) -> String {
        let name = String(reflecting: type(of: element))
        var number = 1
        var id = name
        while ids.contains(id) {
            number += 1
            id = "\(name) \(number)"
        }
        return id
    }
}
