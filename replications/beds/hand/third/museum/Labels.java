/** Writes the label of an exhibit. */
interface Labels {
    String LABEL = """
        <article id="${exhibit.number?c}">
          <h1>${exhibit.title?cap_first}</h1>
          <p>${house}, ${exhibit.hall}, about ${exhibit.year?c}<#if exhibit.lent>, lent by a friend of the house</#if></p>
          <ul>
          <#list exhibit.materials as m>
            <li>${m?index + 1}. ${m}</li>
          </#list>
          </ul>
          <footer>${opening}</footer>
        </article>
        """;

    String label(Exhibit exhibit) throws Exception;
}
