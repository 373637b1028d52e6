// The first page.
export function home() {
  return `<div class="hero">
<div>
<h1>Groups you can trust, explain and deploy</h1>
<p>Kindred finds groups in a table. It reads columns of any kind, learns what "alike" means in your data, and says how far
the groups can be trusted.</p>
<pre><code>npm ci &amp;& npm pack &amp;& npm install -g ./kindred-0.1.0.tgz
kindred cluster customers.csv</code></pre>
<p class="buttons"><a href="explorer/index.html">Try it in this browser</a>
<a href="tutorials/five-minutes.html">Five minutes with Kindred</a></p>
</div>
<img src="images/explore-hints.png" alt="The explorer with three groups of coffees, six hints, and what the hints changed">
</div>
<div class="cards">
<section><h2>It learns from a few answers</h2><p>Mark a few rows as "same" or "different". The clustering changes, every answer is
kept, and you see which columns now count. <a href="how-to/known-pairs.html">Use a few known pairs</a></p></section>
<section><h2>It proves its optimum</h2><p>Convex methods come with a duality gap that you can check. A separate
statement says how clear the groups are. <a href="explanation/choice.html">How the default decides</a></p></section>
<section><h2>It explains in your columns</h2><p>"plan: 100 % free, 36 % overall". One page for each result, and a model file
that places new rows anywhere. <a href="how-to/explain.html">Explain clusters to a colleague</a></p></section>
</div>
<h2>Questions people ask</h2>
<ul class="cards">
<li><a href="how-to/categories.html">How do I cluster a table with categories?</a></li>
<li><a href="how-to/embeddings.html">How do I cluster embeddings?</a></li>
<li><a href="how-to/how-many.html">How many clusters are there?</a></li>
<li><a href="how-to/new-rows.html">How do I label new rows every hour?</a></li>
<li><a href="how-to/database.html">How do I cluster a table in Postgres or on Spark?</a></li>
<li><a href="how-to/which-method.html">Which method fits my data?</a></li>
</ul>
`;
}
